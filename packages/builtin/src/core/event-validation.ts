import {
  deepEqual,
  type FieldErrors,
  isDNS1123Subdomain,
  isQualifiedName,
  type JsonObject,
  metadataOf,
  path,
  validateImmutableField,
} from '@tsukube/machinery';

const maxText = 128;
const maxNote = 1024;

/** `core`: sent to v1, which asks for less than events.k8s.io/v1 does. */
export function validateEvent(event: JsonObject, errors: FieldErrors, core: boolean): void {
  validateCommon(event, errors, core);
  if (core) return;
  validateSeries(event, errors);
  if (!event.eventTime) errors.required(path('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.invalid(path('type'), '', `has invalid value: ${event.type ?? ''}`);
  if (event.firstTimestamp) errors.invalid(path('firstTimestamp'), '', 'needs to be unset');
  if (event.lastTimestamp) errors.invalid(path('lastTimestamp'), '', 'needs to be unset');
  if (event.count) errors.invalid(path('count'), '', 'needs to be unset');
  const source = (event.source ?? {}) as JsonObject;
  if (source.component || source.host) errors.invalid(path('source'), '', 'needs to be unset');
}

const unchanging = [
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

export function validateEventUpdate(event: JsonObject, old: JsonObject, errors: FieldErrors, core: boolean): void {
  validateCommon(event, errors, core);
  if (core) return;
  if (!deepEqual(event.series, old.series)) validateSeries(event, errors);
  for (const field of unchanging) validateImmutableField(event[field], old[field], path(field), errors);
  validateImmutableField(event.reportingComponent, old.reportingComponent, path('reportingController'), errors);
  validateImmutableField(event.reportingInstance, old.reportingInstance, path('reportingInstance'), errors);
}

function validateSeries(event: JsonObject, errors: FieldErrors): void {
  const series = event.series as JsonObject | undefined;
  if (!series) return;
  if (Number(series.count ?? 0) < 2) errors.invalid(path('series.count'), '', 'should be at least 2');
  if (!series.lastObservedTime) errors.required(path('series.lastObservedTime'));
}

function validateCommon(event: JsonObject, errors: FieldErrors, core: boolean): void {
  const namespace = (metadataOf(event).namespace ?? '') as string;
  const about = (((event.involvedObject ?? {}) as JsonObject).namespace ?? '') as string;
  if (event.eventTime) validateNewStyle(event, namespace, about, errors, core);
  else if (about === '' ? namespace !== '' && namespace !== 'default' : about !== namespace) mismatch(about, errors);
  for (const problem of isDNS1123Subdomain(namespace)) errors.invalid(path('namespace'), namespace, problem);
}

function mismatch(about: string, errors: FieldErrors): void {
  errors.invalid(path('involvedObject', 'namespace'), about, 'does not match event.namespace');
}

function validateNewStyle(event: JsonObject, namespace: string, about: string, errors: FieldErrors, core: boolean): void {
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch(about, errors);
  const controller = path(core ? 'reportingComponent' : 'reportingController');
  const reporting = (event.reportingComponent ?? '') as string;
  if (reporting === '') errors.required(controller);
  for (const problem of isQualifiedName(reporting)) errors.invalid(controller, reporting, problem);
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = (event[field] ?? '') as string;
    if (value === '') errors.required(path(field));
    if (Buffer.byteLength(value) > maxText) errors.invalid(path(field), '', `can have at most ${maxText} characters`);
  }
  if (Buffer.byteLength((event.message ?? '') as string) > maxNote)
    errors.invalid(path('message'), '', `can have at most ${maxNote} characters`);
}
