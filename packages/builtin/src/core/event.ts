import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  isDNS1123Subdomain,
  isQualifiedName,
  type KubeObject,
  numberIn,
  objectIn,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { eventColumns, eventsV1 } from './events-v1.ts';

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Event'),
  columns: eventColumns((object) => object),
  selectableFields: {
    ...Object.fromEntries(
      referenceFields.map((field) => [
        `involvedObject.${field}`,
        (object: KubeObject) => textIn(objectIn(object, 'involvedObject'), field),
      ]),
    ),
    reason: (object) => textIn(object, 'reason'),
    reportingComponent: (object) => textIn(object, 'reportingComponent'),
    source: (object) => textIn(objectIn(object, 'source'), 'component') || textIn(object, 'reportingComponent'),
    type: (object) => textIn(object, 'type'),
  },
};

/** Served as core/v1 and events.k8s.io/v1, stored as core/v1. Expires after the event TTL. */
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

const maxText = 128;
const maxNote = 1024;

/** `core`: the request version is core/v1, whose validation is less strict than that of events.k8s.io/v1. */
function validateEvent(event: KubeObject, errors: FieldErrors, core: boolean): void {
  validateCommon(event, errors, core);
  if (core) return;
  validateSeries(event, errors);
  if (!event.eventTime) errors.required(path('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.invalid(path('type'), '', `has invalid value: ${event.type ?? ''}`);
  if (event.firstTimestamp) errors.invalid(path('firstTimestamp'), '', 'needs to be unset');
  if (event.lastTimestamp) errors.invalid(path('lastTimestamp'), '', 'needs to be unset');
  if (event.count) errors.invalid(path('count'), '', 'needs to be unset');
  const source = objectIn(event, 'source');
  if (source?.component || source?.host) errors.invalid(path('source'), '', 'needs to be unset');
}

const immutableFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
];

function validateEventUpdate(event: KubeObject, old: KubeObject, errors: FieldErrors, core: boolean): void {
  validateCommon(event, errors, core);
  if (core) return;
  if (!deepEqual(event.series, old.series)) validateSeries(event, errors);
  for (const field of immutableFields) validateImmutableField(event[field], old[field], path(field), errors);
  validateImmutableField(event.reportingComponent, old.reportingComponent, path('reportingController'), errors);
  validateImmutableField(event.reportingInstance, old.reportingInstance, path('reportingInstance'), errors);
}

function validateSeries(event: KubeObject, errors: FieldErrors): void {
  const series = objectIn(event, 'series');
  if (!series) return;
  if (numberIn(series, 'count') < 2) errors.invalid(path('series.count'), '', 'should be at least 2');
  if (!series.lastObservedTime) errors.required(path('series.lastObservedTime'));
}

function validateCommon(event: KubeObject, errors: FieldErrors, core: boolean): void {
  const namespace = event.metadata.namespace ?? '';
  const involved = textIn(objectIn(event, 'involvedObject'), 'namespace');
  if (event.eventTime) validateNewStyle(event, namespace, involved, errors, core);
  else if (involved === '' ? namespace !== '' && namespace !== 'default' : involved !== namespace) mismatch(involved, errors);
  for (const problem of isDNS1123Subdomain(namespace)) errors.invalid(path('namespace'), namespace, problem);
}

function mismatch(involved: string, errors: FieldErrors): void {
  errors.invalid(path('involvedObject', 'namespace'), involved, 'does not match event.namespace');
}

/** Events with an eventTime come from the events.k8s.io client and must name their reporter. */
function validateNewStyle(event: KubeObject, namespace: string, involved: string, errors: FieldErrors, core: boolean): void {
  if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch(involved, errors);
  const controller = path(core ? 'reportingComponent' : 'reportingController');
  const reporting = textIn(event, 'reportingComponent');
  if (reporting === '') errors.required(controller);
  for (const problem of isQualifiedName(reporting)) errors.invalid(controller, reporting, problem);
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = textIn(event, field);
    if (value === '') errors.required(path(field));
    if (Buffer.byteLength(value) > maxText) errors.invalid(path(field), '', `can have at most ${maxText} characters`);
  }
  if (Buffer.byteLength(textIn(event, 'message')) > maxNote)
    errors.invalid(path('message'), '', `can have at most ${maxNote} characters`);
}
