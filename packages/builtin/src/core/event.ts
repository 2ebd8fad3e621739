import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { eventColumns } from './event-columns.ts';
import { validateEvent, validateEventUpdate } from './event-validation.ts';
import { eventsV1 } from './events-v1.ts';

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Event'),
  columns: eventColumns,
  selectableFields: {
    ...Object.fromEntries(
      referenceFields.map((field) => [`involvedObject.${field}`, (object: JsonObject) => textIn(object.involvedObject, field)]),
    ),
    reason: (object) => text(object.reason),
    reportingComponent: (object) => text(object.reportingComponent),
    source: (object) => textIn(object.source, 'component') || text(object.reportingComponent),
    type: (object) => text(object.type),
  },
};

/** Events are served by two groups and stored once. They vanish by themselves. */
export function event(ttlSeconds: number): Resource {
  return {
    names: { plural: 'events', singular: 'event', kind: 'Event', listKind: 'EventList', shortNames: ['ev'] },
    scope: 'Namespaced',
    storagePrefix: '/registry/events',
    hub: v1,
    versions: [v1, eventsV1],
    verbs: storedVerbs,
    ttlSeconds,
    strategy: {
      allowCreateOnUpdate: true,
      defaultPropagation: () => 'unsupported',
      validateCreate: (object, errors, version) => validateEvent(object, errors, version === v1),
      validateUpdate: (object, old, errors, version) => validateEventUpdate(object, old, errors, version === v1),
    },
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textIn(object: unknown, field: string): string {
  return text((object as JsonObject | undefined)?.[field]);
}
