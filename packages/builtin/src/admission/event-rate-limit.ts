import type { AdmissionAttributes, AdmissionPlugin } from '@tsukube/apiserver';
import {
  aggregateMessage,
  BoundedCache,
  FieldErrors,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  StatusError,
  textIn,
} from '@tsukube/machinery';
import { TokenBucket } from '@tsukube/transport';
import { requireConfigurationType } from './common/configuration.ts';

/** The bucket of an event, by the type of the limit. */
const keys: Readonly<Record<string, (attributes: AdmissionAttributes) => string>> = {
  Namespace: ({ namespace }) => namespace,
  Server: () => '',
  SourceAndObject: ({ object }) => sourceAndObject(object),
  User: ({ user }) => user.name,
};

const defaultCacheSize = 4096;

/** Takes a token for an event. Returns the problem if there is none. */
type Limit = (attributes: AdmissionAttributes) => string | undefined;

/** EventRateLimit: token buckets for events, shared by the server, a namespace, a user, or a source and object. */
export function eventRateLimit(configuration: JsonObject | undefined, now: () => number): AdmissionPlugin {
  const limits = limitsIn(configuration).map((limit) => createLimit(limit, now));
  return {
    name: 'EventRateLimit',
    validate(attributes) {
      const { operation, resource, version, dryRun } = attributes;
      // Events of the group events.k8s.io are not limited.
      if (resource.names.kind !== 'Event' || version.group !== '' || dryRun) return;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      const problems = limits.flatMap((limit) => limit(attributes) ?? []);
      if (problems.length === 0) return;
      const message = `Too many requests: ${aggregateMessage(problems)}`;
      throw new StatusError({ status: 'Failure', message, reason: 'TooManyRequests', code: 429 });
    },
  };
}

function limitsIn(configuration: JsonObject | undefined): readonly JsonObject[] {
  if (!configuration) return validated([]);
  requireConfigurationType(configuration, ['eventratelimit.admission.k8s.io/v1alpha1']);
  return validated(objectsIn(configuration, 'limits'));
}

function validated(limits: readonly JsonObject[]): readonly JsonObject[] {
  const errors = new FieldErrors();
  if (limits.length === 0) errors.invalid(path('limits'), [], 'must not be empty');
  for (const [i, limit] of limits.entries()) {
    const at = path('limits').index(i);
    const type = textIn(limit, 'type');
    if (!Object.hasOwn(keys, type)) errors.notSupported(at.child('type'), type, Object.keys(keys));
    for (const field of ['burst', 'qps'])
      if (numberIn(limit, field) <= 0) errors.invalid(at.child(field), numberIn(limit, field), 'must be positive');
    const size = numberIn(limit, 'cacheSize');
    if (type !== 'Server' && size < 0) errors.invalid(at.child('cacheSize'), size, 'must not be negative');
  }
  if (errors.length > 0) throw new Error(aggregateMessage(errors.list.map(({ field, body }) => `${field}: ${body}`)));
  return limits;
}

function createLimit(limit: JsonObject, now: () => number): Limit {
  const type = textIn(limit, 'type');
  const keyOf = keys[type] as (attributes: AdmissionAttributes) => string;
  // The cache keeps at least half of its entries: those used last.
  const entries = 2 * (numberIn(limit, 'cacheSize') || defaultCacheSize);
  const buckets = new BoundedCache<string, TokenBucket>({ entries });
  return (attributes) => {
    const key = keyOf(attributes);
    const bucket = buckets.getOrCreate(key, () => new TokenBucket(numberIn(limit, 'burst'), numberIn(limit, 'qps'), now));
    return bucket.take() ? undefined : `limit reached on type ${type} for key ${key}`;
  };
}

function sourceAndObject(event: JsonObject | undefined): string {
  const [source, involved] = [objectIn(event, 'source'), objectIn(event, 'involvedObject')];
  return [
    ...['component', 'host'].map((field) => textIn(source, field)),
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((field) => textIn(involved, field)),
  ].join('');
}
