import { isDNS1123Label, type JsonObject, objectIn, objectsIn, path, textIn, warningsForIP } from '@tsukube/machinery';
import { podSpecWarnings } from '../pod-spec/warnings.ts';
import { appArmorWarnings } from './creation.ts';

/** Only creations are commented on: updates of pods are frequent, and made by machines. */
export function podWarnings(pod: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (old) return [];
  const metadata = pod.metadata as JsonObject;
  const problems = isDNS1123Label(textIn(metadata, 'name'));
  const hint =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const named = problems.length === 0 ? [] : [`${hint}: [${problems.join(' ')}]`];
  return [...appArmorWarnings(pod), ...named, ...podSpecWarnings(pod.spec as JsonObject, metadata)];
}

export function statusWarnings(pod: JsonObject): readonly string[] {
  const status = objectIn(pod, 'status');
  return ['podIPs', 'hostIPs'].flatMap((list) =>
    objectsIn(status, list).flatMap((entry, i) => warningsForIP(textIn(entry, 'ip'), path('status', list).index(i).child('ip'))),
  );
}
