import { ageColumn, type Column, column, type Scalable, type Subresource, scaleSubresource } from '@tsukube/apiserver';
import { numberIn, objectIn } from '@tsukube/machinery';
import { schemaOf } from './schema.ts';

const type = 'io.k8s.api.autoscaling.v1.Scale';

const scaleColumns: readonly Column[] = [
  column(
    'Name',
    { type: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'name' },
    (object) => object.metadata.name ?? '',
  ),
  column('Desired', { type: `${type}Spec`, field: 'replicas' }, (object) => numberIn(objectIn(object, 'spec'), 'replicas'), {
    type: 'integer',
  }),
  column(
    'Available',
    { type: `${type}Status`, field: 'replicas' },
    (object) => numberIn(objectIn(object, 'status'), 'replicas'),
    { type: 'integer' },
  ),
  ageColumn,
];

/** The `scale` subresource of a built-in kind. */
export function scaleOfKind(scalable: Scalable): Subresource {
  return scaleSubresource(scalable, schemaOf('autoscaling.v1.Scale'), scaleColumns);
}
