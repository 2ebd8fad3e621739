import { inFieldOrder, isObject, type JsonObject, parseJson, stringifyJson } from '@tsukube/machinery';
import type { IncomingRequest } from '../http/api-request.ts';
import type { AuditNotes, User } from '../http/request.ts';
import type { Schema } from '../resource.ts';
import type { AuditEvent, ObjectReference, ResponseStatus } from './event.ts';
import type { AuditRule, AuditStage } from './policy.ts';
import { sourceIps } from './source-ips.ts';

const maxUserAgentLength = 1024;
const noAnnotations: ReadonlyMap<string, string> = new Map();

/** What is taken down of one request while it is on its way. */
export class AuditRecord implements AuditNotes {
  readonly rule: AuditRule;
  responseStatus: ResponseStatus | undefined;
  responseObject: string | undefined;
  readonly #request: IncomingRequest;
  readonly #user: User | undefined;
  readonly #sourceIps: readonly string[];
  #objectRef: ObjectReference | undefined;
  #requestObject: string | undefined;

  /** `user` is who sends the request, before they act as somebody else. */
  constructor(request: IncomingRequest, rule: AuditRule, user: User | undefined) {
    this.rule = rule;
    this.#request = request;
    this.#user = user;
    this.#sourceIps = sourceIps(request.exchange);
    this.#objectRef = referenceOf(request);
  }

  get tellsResponse(): boolean {
    return this.rule.level === 'RequestResponse';
  }

  requestObject(object: JsonObject, schema?: Schema): void {
    this.#refer(isObject(object.metadata) ? object.metadata : {});
    if (this.rule.level === 'Metadata') return;
    const shown = this.rule.omitManagedFields ? withoutManagedFields(object) : object;
    this.#requestObject = stringifyJson(schema && !schema.form ? inFieldOrder(shown, schema.type, schema.catalogue) : shown);
  }

  /** A patch that is no JSON has no place in an event. */
  requestPatch(patch: Buffer): void {
    if (this.rule.level === 'Metadata') return;
    try {
      this.#requestObject = stringifyJson(parseJson(patch).value);
    } catch {
      this.#requestObject = undefined;
    }
  }

  /** What is known by now. `reached` is in microseconds. */
  eventAt(stage: AuditStage, reached: number): AuditEvent {
    const { exchange, info, auditId, received, impersonation, user, annotations } = this.#request;
    return {
      level: this.rule.level,
      auditId,
      stage,
      requestUri: exchange.url,
      verb: info.verb,
      user: this.#user,
      impersonated: impersonation && user,
      impersonationConstraint: impersonation?.constraint ?? '',
      sourceIps: this.#sourceIps,
      userAgent: shortened(exchange.header('user-agent') ?? ''),
      objectRef: this.#objectRef,
      responseStatus: this.responseStatus,
      requestObject: this.#requestObject,
      responseObject: this.responseObject,
      received: received * 1000,
      reached: stage === 'RequestReceived' ? received * 1000 : reached,
      annotations: annotations && annotations.size > 0 ? new Map(annotations) : noAnnotations,
    };
  }

  /** An object that is created is named in the body only. */
  #refer({ namespace, name, uid, resourceVersion }: JsonObject): void {
    const known = this.#objectRef;
    if (!known) return;
    this.#objectRef = {
      ...known,
      namespace: known.namespace || text(namespace),
      name: known.name || text(name),
      uid: text(uid),
      resourceVersion: text(resourceVersion),
    };
  }
}

function referenceOf({ info }: IncomingRequest): ObjectReference | undefined {
  if (!info.isResource) return undefined;
  const { resource, namespace, name, group, version, subresource } = info;
  return { resource, namespace, name, uid: '', apiGroup: group, apiVersion: version, resourceVersion: '', subresource };
}

function shortened(userAgent: string): string {
  return userAgent.length > maxUserAgentLength ? `${userAgent.slice(0, maxUserAgentLength)}...TRUNCATED` : userAgent;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Of an object, of the objects in a list, and of those in the rows of a table. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata, items, rows } = object;
  const bare = { ...object };
  if (isObject(metadata) && metadata.managedFields !== undefined) bare.metadata = withoutField(metadata);
  if (Array.isArray(items)) bare.items = items.map((item) => (isObject(item) ? withoutManagedFields(item) : item));
  if (Array.isArray(rows))
    bare.rows = rows.map((row) => (isObject(row) && isObject(row.object) ? bareRow(row, row.object) : row));
  return bare;
}

function bareRow(row: JsonObject, object: JsonObject): JsonObject {
  return { ...row, object: withoutManagedFields(object) };
}

function withoutField({ managedFields: _, ...metadata }: JsonObject): JsonObject {
  return metadata;
}
