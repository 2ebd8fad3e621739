import type { AdmissionAttributes, AdmissionPlugin } from '@tsukube/apiserver';
import { deepCopy, type KubeObject } from '@tsukube/machinery';
import type { Any } from '../../support/client.ts';
import type { AdmittedCall } from './admitted.ts';

export interface RecordingPlugin extends AdmissionPlugin {
  /** The calls since the last time, of the user `admin`. */
  taken(): readonly AdmittedCall[];
}

/** A plugin that admits everything and keeps the attributes, as a webhook would see them. */
export function recordingPlugin(): RecordingPlugin {
  let calls: AdmittedCall[] = [];
  const record = (phase: AdmittedCall['phase']) => (attributes: AdmissionAttributes) => {
    if (attributes.user.name === 'admin') calls.push(callOf(attributes, phase));
  };
  return {
    name: 'Recording',
    mutate: record('mutate'),
    validate: record('validate'),
    taken() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

function callOf(attributes: AdmissionAttributes, phase: AdmittedCall['phase']): AdmittedCall {
  const { operation, version, resource, body, subresource, name, namespace, dryRun, object, oldObject } = attributes;
  const options = attributes.options();
  const kind = body ?? { group: version.group, version: version.version, kind: resource.names.kind };
  return {
    phase,
    operation,
    kind: [kind.group, kind.version, kind.kind].join('/'),
    resource: [version.group, version.version, resource.names.plural, subresource].join('/'),
    name,
    namespace,
    dryRun,
    ...(options && { options }),
    ...(object && { object: inVersion(object, attributes) }),
    ...(oldObject && { oldObject: inVersion(oldObject, attributes) }),
  };
}

/** The object in the version of the request. */
function inVersion(object: KubeObject, { body, version }: AdmissionAttributes): Any {
  return deepCopy(!body && version.converter ? version.converter.fromHub(object) : object);
}
