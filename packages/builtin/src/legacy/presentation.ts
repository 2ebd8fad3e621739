import type { Column, ServedVersion } from '@tsukube/apiserver';
import type { KubeObject } from '@tsukube/machinery';

type ToHub = (object: KubeObject) => KubeObject;

/** Old versions are shown and selected as the hub is: a table of them has the same columns. */
export function presentedLikeHub(version: ServedVersion, hub: ServedVersion): ServedVersion {
  const toHub = remembering((object) => (version.converter?.toHub(object) as KubeObject | undefined) ?? object);
  const { columns, rowConditions, selectableFields } = hub;
  return {
    ...(columns && { columns: columns.map((column) => throughHub(column, toHub)) }),
    ...(rowConditions && { rowConditions: (object: KubeObject) => rowConditions(toHub(object)) }),
    ...(selectableFields && { selectableFields: fieldsThroughHub(selectableFields, toHub) }),
    ...version,
  };
}

/** Every cell of a row asks for the same object. */
function remembering(toHub: ToHub): ToHub {
  const known = new WeakMap<KubeObject, KubeObject>();
  return (object) => {
    const hub = known.get(object) ?? toHub(object);
    known.set(object, hub);
    return hub;
  };
}

/** The description is looked up only when it is asked for. */
function throughHub(column: Column, toHub: ToHub): Column {
  const { name, type, format, priority } = column;
  return {
    name,
    type,
    ...(format !== undefined && { format }),
    ...(priority !== undefined && { priority }),
    get description() {
      return column.description;
    },
    value: (object) => column.value(toHub(object)),
  };
}

function fieldsThroughHub(
  fields: NonNullable<ServedVersion['selectableFields']>,
  toHub: ToHub,
): NonNullable<ServedVersion['selectableFields']> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, (object: KubeObject) => value(toHub(object))]));
}
