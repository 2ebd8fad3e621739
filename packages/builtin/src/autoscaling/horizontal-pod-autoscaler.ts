import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type JsonObject, metadataOf } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { zeroValue } from '../common/zero-value.ts';
import { hasKept, withKept } from './annotations.ts';
import { autoscalerColumns } from './autoscaler-columns.ts';
import { defaultAutoscaler } from './autoscaler-defaults.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './autoscaler-validation.ts';
import { v1Converter } from './v1-converter.ts';

const v2: ServedVersion = {
  group: 'autoscaling',
  version: 'v2',
  schema: schemaOf('autoscaling.v2.HorizontalPodAutoscaler'),
  columns: autoscalerColumns((object) => object),
};

const v1: ServedVersion = {
  group: 'autoscaling',
  version: 'v1',
  schema: schemaOf('autoscaling.v1.HorizontalPodAutoscaler'),
  converter: v1Converter,
  columns: autoscalerColumns((object) => v1Converter.toHub(object)),
};

export const horizontalPodAutoscaler: Resource = {
  names: {
    plural: 'horizontalpodautoscalers',
    singular: 'horizontalpodautoscaler',
    kind: 'HorizontalPodAutoscaler',
    listKind: 'HorizontalPodAutoscalerList',
    shortNames: ['hpa'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/horizontalpodautoscalers',
  hub: v2,
  versions: [v2, v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource((object, _old, errors) => validateAutoscalerStatus(object, errors)) },
  strategy: {
    applyDefaults(object) {
      dropKept(object);
      defaultAutoscaler(object);
    },
    prepareForCreate(object) {
      object.status = zeroValue('autoscaling.v2.HorizontalPodAutoscalerStatus');
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateAutoscaler(object, undefined, errors),
    validateUpdate: validateAutoscaler,
  },
};

/** The hub says everything itself, so annotations that say it again would only grow stale. */
function dropKept(object: JsonObject): void {
  const metadata = metadataOf(object);
  if (hasKept(metadata)) object.metadata = withKept(metadata, {});
}
