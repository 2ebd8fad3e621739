import type { AdmissionAttributes } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';

/** Whether the request is for pods or a subresource of pods. */
export function isPodRequest({ resource, subresource }: AdmissionAttributes, part = ''): boolean {
  return resource.names.plural === 'pods' && resource.hub.group === '' && subresource === part;
}

/** A 500 with a message, for errors to which Kubernetes gives no reason. */
export function unknownError(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}
