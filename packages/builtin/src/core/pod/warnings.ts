import { isDNS1123Label, type KubeObject, objectIn, objectsIn, path, textIn, warningsForIP } from '@tsukube/machinery';
import { specOf } from '../../common/spec.ts';
import { podSpecWarnings } from '../pod-spec/warnings.ts';

/** Only on create: updates of pods are frequent and come from controllers. */
export function podWarnings(pod: KubeObject, old: KubeObject | undefined): readonly string[] {
  if (old) return [];
  const metadata = pod.metadata;
  const problems = isDNS1123Label(textIn(metadata, 'name'));
  const hint =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  const named = problems.length === 0 ? [] : [`${hint}: [${problems.join(' ')}]`];
  return [...named, ...podSpecWarnings(specOf(pod), metadata)];
}

export function statusWarnings(pod: KubeObject): readonly string[] {
  const status = objectIn(pod, 'status');
  return ['podIPs', 'hostIPs'].flatMap((list) =>
    objectsIn(status, list).flatMap((entry, i) => warningsForIP(textIn(entry, 'ip'), path('status', list).index(i).child('ip'))),
  );
}
