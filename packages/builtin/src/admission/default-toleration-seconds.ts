import type { AdmissionPlugin } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { objectsIn, textIn } from '../core/pod-spec/members.ts';
import { isPods } from './forbidden.ts';

const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const defaultSeconds = 300;

/** Pods stay for a while on nodes that are gone: most of them come back. */
export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    mutate(attributes) {
      const { operation, object } = attributes;
      if (!object || (operation !== 'CREATE' && operation !== 'UPDATE') || !isPods(attributes)) return;
      addTolerations(object.spec as JsonObject);
    },
  };
}

function addTolerations(spec: JsonObject): void {
  const tolerations = objectsIn(spec, 'tolerations');
  const missing = taints.filter((taint) => !tolerations.some((toleration) => covers(toleration, taint)));
  if (missing.length === 0) return;
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: defaultSeconds,
  }));
  spec.tolerations = [...tolerations, ...added];
}

function covers(toleration: JsonObject, taint: string): boolean {
  const [key, effect] = [textIn(toleration, 'key'), textIn(toleration, 'effect')];
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
