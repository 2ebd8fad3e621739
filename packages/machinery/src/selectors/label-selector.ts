import type { JsonObject } from '../schema/type.ts';
import type { LabelSelector } from './selector.ts';

/** Fails with a StatusError (400). */
export function parseLabelSelector(_text: string): LabelSelector {
  throw new Error('not written yet');
}

/** From matchLabels and matchExpressions: absent chooses nothing, empty everything. Fails with an Error. */
export function labelSelectorOf(_selector: JsonObject | undefined): LabelSelector {
  throw new Error('not written yet');
}
