import type { AdmissionPlugin } from '@tsukube/apiserver';
import { ensureObject, type JsonObject, objectsIn, textIn } from '@tsukube/machinery';
import { isPodRequest, type TolerationSeconds } from '../common/plugin.ts';

/** DefaultTolerationSeconds: pods tolerate not-ready and unreachable nodes for a while. */
export function defaultTolerationSeconds(seconds: TolerationSeconds): AdmissionPlugin {
  const secondsOf = new Map([
    ['node.kubernetes.io/not-ready', seconds.notReady],
    ['node.kubernetes.io/unreachable', seconds.unreachable],
  ]);
  return {
    name: 'DefaultTolerationSeconds',
    mutate(attributes) {
      const { operation, object } = attributes;
      if (!object || (operation !== 'CREATE' && operation !== 'UPDATE') || !isPodRequest(attributes)) return;
      addTolerations(ensureObject(object, 'spec'), secondsOf);
    },
  };
}

function addTolerations(spec: JsonObject, secondsOf: ReadonlyMap<string, number>): void {
  const tolerations = objectsIn(spec, 'tolerations');
  const missing = [...secondsOf].filter(([taint]) => !tolerations.some((toleration) => covers(toleration, taint)));
  if (missing.length === 0) return;
  const added = missing.map(([key, tolerationSeconds]) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));
  spec.tolerations = [...tolerations, ...added];
}

function covers(toleration: JsonObject, taint: string): boolean {
  const [key, effect] = [textIn(toleration, 'key'), textIn(toleration, 'effect')];
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
