import type { Column, Strategy } from '@tsukube/apiserver';
import { type JsonObject, metadataOf, objectIn, textIn } from '@tsukube/machinery';
import { shownSelector } from './policy-validation.ts';

export const admissionGroup = 'admissionregistration.k8s.io';

const reservedSuffix = '.static.k8s.io';

/** The strategy shared by all kinds of the group. */
export const commonStrategy: Strategy = {
  generation: true,
  allowUnconditionalUpdate: false,
  warnings: (object) =>
    String(metadataOf(object).name).endsWith(reservedSuffix)
      ? [
          `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
};

const unset = '<unset>';

export const paramKindColumn: Column = {
  name: 'ParamKind',
  type: 'string',
  description: 'ParamKind specifies the kind of resources used to parameterize this policy',
  value(object) {
    const kind = objectIn(objectIn(object, 'spec'), 'paramKind');
    return kind ? `${textIn(kind, 'apiVersion')}/${textIn(kind, 'kind')}` : unset;
  },
};

export const paramRefColumn: Column = {
  name: 'ParamRef',
  type: 'string',
  description: 'ParamRef indicates the param resource which sets the configuration param',
  value: (object) => shownParam(objectIn(objectIn(object, 'spec'), 'paramRef')),
};

/** The scope of the parameter kind is not known here: a missing namespace is shown as any. */
function shownParam(reference: JsonObject | undefined): string {
  const name = textIn(reference, 'name');
  if (name !== '') return `${textIn(reference, 'namespace') || '*'}/${name}`;
  const selector = objectIn(reference, 'selector');
  return selector ? shownSelector(selector) : unset;
}
