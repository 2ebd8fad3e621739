import type { Definition } from '../definition/definition.ts';
import { isCaBundle } from '../validation/conversion-validation.ts';
import type { NewCondition } from './conditions.ts';

const type = 'Established';

/** Once established, always established. Otherwise as soon as the names are. */
export function establishedCondition(definition: Definition, had: NewCondition | undefined, accepted: boolean): NewCondition {
  if (had?.status === 'True') return had;
  if (!accepted) return had ?? { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  if (!hasUsableConversion(definition)) {
    return { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
  }
  return { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' };
}

function hasUsableConversion({ conversion }: Definition): boolean {
  if (conversion.strategy !== 'Webhook') return true;
  const { caBundle } = conversion.clientConfig;
  return typeof caBundle !== 'string' || caBundle === '' || isCaBundle(caBundle);
}
