import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission } from '@tsukube/apiserver';
import { aggregateMessage, FieldErrors, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { isPodRequest, unknownError } from '../common/plugin.ts';

const always = 'Always';
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/** AlwaysPullImages: the images of pods are pulled every time, so that the registry checks the pod's credentials. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  mutate(attributes) {
    if (!isRelevant(attributes)) return;
    const spec = specOf(attributes.object);
    for (const container of containersOf(spec)) container.imagePullPolicy = always;
    for (const volume of objectsIn(spec, 'volumes')) {
      const image = objectIn(volume, 'image');
      if (image) image.pullPolicy = always;
    }
  },
  validate(attributes) {
    if (!isRelevant(attributes)) return;
    const errors = new FieldErrors();
    validatePolicies(specOf(attributes.object), errors);
    const problems = errors.list.map(({ field, body }) => forbiddenByAdmission(attributes, `${field}: ${body}`).message);
    if (problems.length > 0) throw unknownError(aggregateMessage(problems));
  },
};

/** Creates, and updates that add an image. */
function isRelevant(attributes: AdmissionAttributes): boolean {
  const { operation, object, oldObject } = attributes;
  if (!object || (operation !== 'CREATE' && operation !== 'UPDATE') || !isPodRequest(attributes)) return false;
  if (operation === 'CREATE') return true;
  const known = new Set(containersOf(specOf(oldObject)).map((container) => textIn(container, 'image')));
  return containersOf(specOf(object)).some((container) => !known.has(textIn(container, 'image')));
}

function validatePolicies(spec: JsonObject, errors: FieldErrors): void {
  for (const list of containerLists)
    for (const [i, container] of objectsIn(spec, list).entries()) {
      const policy = textIn(container, 'imagePullPolicy');
      if (policy !== always) errors.notSupported(path('spec', list).index(i).child('imagePullPolicy'), policy, [always]);
    }
  for (const [i, volume] of objectsIn(spec, 'volumes').entries()) {
    const image = objectIn(volume, 'image');
    const policy = textIn(image, 'pullPolicy');
    if (image && policy !== always)
      errors.notSupported(path('spec', 'volumes').index(i).child('image', 'pullPolicy'), policy, [always]);
  }
}

function containersOf(spec: JsonObject): readonly JsonObject[] {
  return containerLists.flatMap((list) => objectsIn(spec, list));
}

function specOf(pod: JsonObject | undefined): JsonObject {
  return objectIn(pod, 'spec') ?? {};
}
