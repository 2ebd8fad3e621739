import type { AdmissionAttributes } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';

/** A 403 that names the object, or its generateName if the name is not generated yet. */
export function refuse({ resource, version, object, name }: AdmissionAttributes, reason: string): StatusError {
  const proposed = (object?.metadata ?? {}) as JsonObject as { name?: string; generateName?: string };
  const subject = name || proposed.name || proposed.generateName || 'Unknown';
  return StatusError.forbidden({ group: version.group, resource: resource.names.plural }, subject, reason);
}

/** Whether the request is for pods or a subresource of pods. */
export function isPods({ resource, subresource }: AdmissionAttributes, part = ''): boolean {
  return resource.names.plural === 'pods' && resource.hub.group === '' && subresource === part;
}
