import { goQuote, type JsonObject, memoize, type Status, statusBody, stringifyJson } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import type { AuditLevel, AuditStage } from './policy.ts';

/** The audit event of a request at one stage. Immutable. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditId: string;
  readonly stage: AuditStage;
  readonly requestUri: string;
  readonly verb: string;
  /** Absent if authentication failed. */
  readonly user: User | undefined;
  readonly impersonated: User | undefined;
  readonly impersonationConstraint: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly objectRef: ObjectReference | undefined;
  readonly responseStatus: ResponseStatus | undefined;
  /** JSON text. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Microseconds since the epoch. */
  readonly received: number;
  readonly reached: number;
  readonly annotations: ReadonlyMap<string, string>;
}

/** Has only the code if the response is not a Status. */
export type ResponseStatus = Partial<Status>;

export interface ObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/** Encodes an Event of audit.k8s.io/v1. Events in an EventList have no apiVersion and kind. */
export function eventJson(event: AuditEvent, inList = false): string {
  const fields = [
    ...(inList ? [] : ['"kind":"Event","apiVersion":"audit.k8s.io/v1"']),
    `"level":"${event.level}","auditID":${text(event.auditId)},"stage":"${event.stage}"`,
    `"requestURI":${text(event.requestUri)},"verb":${text(event.verb)}`,
    `"user":${event.user ? userJson(event.user) : '{}'}`,
    ...optional('impersonatedUser', event.impersonated && userJson(event.impersonated)),
    ...optional('authenticationMetadata', constraintJson(event.impersonationConstraint)),
    ...optional('sourceIPs', event.sourceIps.length > 0 ? stringifyJson([...event.sourceIps]) : undefined),
    ...optional('userAgent', event.userAgent === '' ? undefined : text(event.userAgent)),
    ...optional('objectRef', event.objectRef && stringifyJson(withoutEmpty(event.objectRef))),
    ...optional('responseStatus', event.responseStatus && statusJson(event.responseStatus)),
    ...optional('requestObject', event.requestObject),
    ...optional('responseObject', event.responseObject),
    `"requestReceivedTimestamp":"${microTime(event.received)}","stageTimestamp":"${microTime(event.reached)}"`,
    ...optional('annotations', annotationsJson(event.annotations)),
  ];
  return `{${fields.join(',')}}`;
}

function text(value: string): string {
  return stringifyJson(value);
}

function optional(name: string, json: string | undefined): readonly string[] {
  return json === undefined ? [] : [`"${name}":${json}`];
}

/** Encoded once, because a user sends many requests. */
const userJson = memoize(({ name, uid = '', groups, extra = {} }: User): string => {
  const sorted = Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1)));
  return stringifyJson(withoutEmpty({ username: name, uid, groups: [...groups], extra: sorted }));
});

function constraintJson(constraint: string): string | undefined {
  return constraint === '' ? undefined : stringifyJson({ impersonationConstraint: constraint });
}

function statusJson(response: ResponseStatus): string {
  if (response.status === undefined) return stringifyJson({ metadata: {}, ...(response.code && { code: response.code }) });
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...told } = statusBody(response as Status);
  return stringifyJson({ metadata: {}, ...told });
}

function annotationsJson(annotations: ReadonlyMap<string, string>): string | undefined {
  if (annotations.size === 0) return undefined;
  return stringifyJson(Object.fromEntries([...annotations].sort(([a], [b]) => (a < b ? -1 : 1))));
}

function withoutEmpty(object: object): JsonObject {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== '' && !isEmpty(value));
  return Object.fromEntries(entries);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** `2026-01-02T03:04:05.000006Z` */
export function microTime(microseconds: number): string {
  const below = String(Math.floor(microseconds) % 1000).padStart(3, '0');
  return new Date(Math.floor(microseconds / 1000)).toISOString().replace('Z', `${below}Z`);
}

/** The one-line format of `--audit-log-format=legacy`. */
export function legacyFormat(event: AuditEvent): string {
  const { user, impersonated, objectRef, responseStatus } = event;
  const fields: readonly [string, string][] = [
    ['id', event.auditId],
    ['stage', event.stage],
    ['ip', event.sourceIps[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user?.name || '<none>'],
    ['groups', user?.name && user.groups.length > 0 ? quotedList(user.groups) : '<none>'],
    ['as', impersonated ? impersonated.name : '<self>'],
    ['asgroups', impersonated && impersonated.groups.length > 0 ? quotedList(impersonated.groups) : '<lookup>'],
    ['user-agent', event.userAgent],
    ['namespace', objectRef?.namespace || '<none>'],
    ['uri', event.requestUri],
    ['response', responseStatus ? String(responseStatus.code ?? 0) : '<deferred>'],
  ];
  const said = fields.map(([name, value]) => `${name}=${goQuote(value)}`).join(' ');
  // regex: bounded, a timestamp.
  return `${microTime(event.received).replace(/\.?0+Z$/, 'Z')} AUDIT: ${said}`;
}

function quotedList(values: readonly string[]): string {
  return values.map((value) => goQuote(value)).join(',');
}
