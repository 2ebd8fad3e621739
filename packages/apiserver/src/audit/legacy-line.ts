import { goQuote } from '@tsukube/machinery';
import { type AuditEvent, microTime } from './event.ts';

/** An event on one line, for people and old tools. */
export function legacyLine(event: AuditEvent): string {
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
