import type { AdmissionAttributes } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';

/** A refusal that names what was refused, also where its name has not been made yet. */
export function refuse({ resource, version, object }: AdmissionAttributes, reason: string): StatusError {
  const { name, generateName } = (object?.metadata ?? {}) as JsonObject as { name?: string; generateName?: string };
  const subject = name || generateName || 'Unknown';
  return StatusError.forbidden({ group: version.group, resource: resource.names.plural }, subject, reason);
}

/** Whether a write is about pods, and about which part of them. */
export function isPods({ resource, subresource }: AdmissionAttributes, part = ''): boolean {
  return resource.names.plural === 'pods' && resource.hub.group === '' && subresource === part;
}
