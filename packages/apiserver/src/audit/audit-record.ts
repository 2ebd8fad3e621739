import { isIP } from 'node:net';
import type { JsonObject } from '@tsukube/machinery';
import type { Exchange } from '@tsukube/transport';
import type { AuditNotes, IncomingRequest, NotedRequest, TypeReference, User } from '../http/api-request.ts';
import type { AuditEvent, ObjectReference, ResponseStatus } from './event.ts';
import type { AuditRule, AuditStage } from './policy.ts';
import { auditedObject, auditedPatch } from './request-object.ts';

const maxUserAgentLength = 1024;
const noAnnotations: ReadonlyMap<string, string> = new Map();

/** State of the audit of one request, from which the event of each stage is built. */
export class AuditRecord implements AuditNotes {
  readonly rule: AuditRule;
  responseStatus: ResponseStatus | undefined;
  responseObject: string | undefined;
  readonly #request: IncomingRequest;
  readonly #user: User | undefined;
  readonly #sourceIps: readonly string[];
  #objectRef: ObjectReference | undefined;
  #requestObject: string | undefined;

  /** `user` is the authenticated user, before impersonation. */
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

  requestObject(object: JsonObject, schema?: TypeReference): void {
    this.adopt(auditedObject(object, schema, this.rule));
  }

  requestPatch(patch: Buffer): void {
    this.adopt(auditedPatch(patch, this.rule));
  }

  adopt({ subject, json }: NotedRequest): void {
    if (subject) this.#refer(subject);
    this.#requestObject = json;
  }

  /** The event of a stage, with the state so far. `reached` is in microseconds. */
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

  /** The name of a created object is only in the body. */
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

/** Addresses of X-Forwarded-For and X-Real-Ip, then that of the connection. */
export function sourceIps(exchange: Exchange): readonly string[] {
  const forwarded = (exchange.header('x-forwarded-for') ?? '').split(',').flatMap((part) => addressIn(part) ?? []);
  const real = addressIn(exchange.header('x-real-ip') ?? '');
  if (real !== undefined && !forwarded.includes(real)) forwarded.push(real);
  const remote = addressIn(exchange.connection.remoteAddress);
  if (remote !== undefined && forwarded.at(-1) !== remote) forwarded.push(remote);
  return forwarded;
}

/** Normalized address; an IPv4-mapped IPv6 address becomes IPv4. */
function addressIn(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  const plain = mapped ?? address;
  return isIP(plain) === 0 ? undefined : plain;
}
