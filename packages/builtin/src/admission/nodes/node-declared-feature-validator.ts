import { type AdmissionPlugin, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, objectIn, objectsIn, textsIn } from '@tsukube/machinery';
import { peekObject, whenFresh } from '../common/cached-objects.ts';
import { nodeOfUpdatedPod } from './pod-resize-validator.ts';

/** Features that an update of a pod may require of its node, sorted by name. */
const features: Readonly<Record<string, (spec: JsonObject, old: JsonObject) => boolean>> = {
  InPlacePodLevelResourcesVerticalScaling: (spec, old) => !deepEqual(spec.resources ?? null, old.resources ?? null),
  InPlacePodVerticalScalingInitContainers: resizesInitContainer,
};

/** NodeDeclaredFeatureValidator: an update that requires a feature needs a node that declares it. */
export function nodeDeclaredFeatureValidator(nodes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    validate(attributes) {
      const name = nodeOfUpdatedPod(attributes, ['', 'resize']);
      if (name === '') return;
      const [spec, old] = [objectIn(attributes.object, 'spec') ?? {}, objectIn(attributes.oldObject, 'spec') ?? {}];
      const required = Object.keys(features).filter((feature) => features[feature]?.(spec, old));
      if (required.length === 0) return;
      return whenFresh(nodes, () => {
        const node = peekObject(nodes, name);
        if (!node) throw forbiddenByAdmission(attributes, `node ${goQuote(name)} not found`);
        const declared = textsIn(objectIn(node, 'status'), 'declaredFeatures');
        const missing = required.filter((feature) => !declared.includes(feature));
        if (missing.length === 0) return;
        const reason = `pod update requires features ${missing.join(', ')} which are not available on node ${goQuote(name)}`;
        throw forbiddenByAdmission(attributes, reason);
      });
    },
  };
}

function resizesInitContainer(spec: JsonObject, old: JsonObject): boolean {
  const containers = objectsIn(spec, 'initContainers');
  return objectsIn(old, 'initContainers').some(
    ({ restartPolicy, resources }, i) =>
      restartPolicy !== 'Always' && !deepEqual(resources ?? {}, containers[i]?.resources ?? {}),
  );
}
