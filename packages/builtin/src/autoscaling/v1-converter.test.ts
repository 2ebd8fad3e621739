import { builtinTypes } from '@tsukube/api';
import { checkObject, type JsonObject, type JsonValue, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { defaultAutoscaler } from './horizontal-pod-autoscaler.ts';
import { v1Converter } from './v1-converter.ts';

/** Seeded random numbers. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

class Generator {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = random(seed);
  }

  number(below: number): number {
    return Math.floor(this.#next() * below);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.number(choices.length)] as T;
  }

  maybe(members: JsonObject): JsonObject {
    return this.number(2) === 0 ? members : {};
  }

  list(longest: number, make: () => JsonObject): JsonObject[] {
    return Array.from({ length: this.number(longest + 1) }, make);
  }

  quantity(): string {
    return this.pick(['1', '1500m', '2Gi', '10k', '7']);
  }

  metric(): JsonObject {
    return { name: this.pick(['requests', 'queue<length>']), ...this.maybe({ selector: { matchLabels: { app: 'a & b' } } }) };
  }

  reference(): JsonObject {
    return { kind: 'Service', name: this.pick(['web', 'db']), ...this.maybe({ apiVersion: 'v1' }) };
  }

  target(...types: readonly string[]): JsonObject {
    const type = this.pick(types);
    if (type === 'Utilization') return { type, averageUtilization: 1 + this.number(100) };
    return { type, [type === 'Value' ? 'value' : 'averageValue']: this.quantity() };
  }

  metricSpec(): JsonObject {
    const sources: Record<string, () => JsonObject> = {
      Object: () => ({
        describedObject: this.reference(),
        target: this.target('Value', 'AverageValue'),
        metric: this.metric(),
      }),
      Pods: () => ({ metric: this.metric(), target: this.target('AverageValue') }),
      Resource: () => ({ name: 'memory', target: this.target('Utilization', 'AverageValue') }),
      ContainerResource: () => ({ name: 'cpu', target: this.target('Utilization', 'AverageValue'), container: 'main' }),
      External: () => ({ metric: this.metric(), target: this.target('Value', 'AverageValue') }),
    };
    return this.#one(sources);
  }

  metricStatus(): JsonObject {
    const resource = () => ({
      averageValue: this.quantity(),
      ...this.maybe({ averageUtilization: this.number(200) }),
    });
    const value = () => ({ value: this.quantity(), ...this.maybe({ averageValue: this.quantity() }) });
    const readings: Record<string, () => JsonObject> = {
      Object: () => ({ metric: this.metric(), current: value(), describedObject: this.reference() }),
      Pods: () => ({ metric: this.metric(), current: { averageValue: this.quantity() } }),
      Resource: () => ({ name: this.pick(['cpu', 'memory']), current: resource() }),
      ContainerResource: () => ({ name: 'cpu', current: resource(), container: 'main' }),
      External: () => ({ metric: this.metric(), current: value() }),
    };
    return this.#one(readings);
  }

  #one(makers: Readonly<Record<string, () => JsonObject>>): JsonObject {
    const type = this.pick(Object.keys(makers));
    const field = type.charAt(0).toLowerCase() + type.slice(1);
    return { type, [field]: (makers[type] as () => JsonObject)() };
  }

  rules(): JsonObject {
    const policy = () => ({ type: this.pick(['Pods', 'Percent']), value: 1 + this.number(9), periodSeconds: 15 });
    return {
      ...this.maybe({ stabilizationWindowSeconds: this.number(300) }),
      ...this.maybe({ selectPolicy: this.pick(['Max', 'Min', 'Disabled']) }),
      ...this.maybe({ policies: [policy(), ...this.list(2, policy)] }),
      ...this.maybe({ tolerance: '50m' }),
    };
  }

  autoscaler(): JsonObject {
    const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };
    const others = this.list(4, () => this.metricSpec());
    return {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v2',
      metadata: { name: 'a', namespace: 'n', ...this.maybe({ annotations: { note: 'kept' } }) },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
        minReplicas: 1 + this.number(3),
        maxReplicas: 5 + this.number(5),
        metrics: this.number(2) === 0 ? [...others, cpu] : others,
        ...this.maybe({ behavior: { ...this.maybe({ scaleUp: this.rules() }), ...this.maybe({ scaleDown: this.rules() }) } }),
      },
      status: {
        ...this.maybe({ observedGeneration: 1 + this.number(9), lastScaleTime: '2024-01-02T03:04:05Z' }),
        ...this.maybe({ currentReplicas: 1 + this.number(9) }),
        desiredReplicas: this.number(9),
        currentMetrics: this.number(3) === 0 ? null : [this.metricStatus(), ...this.list(2, () => this.metricStatus())],
        conditions: this.list(2, () => ({
          type: this.pick(['AbleToScale', 'ScalingActive']),
          status: 'True',
          ...this.maybe({ lastTransitionTime: '2024-01-02T03:04:05Z' }),
          ...this.maybe({ reason: 'R', message: 'it is <so>' }),
        })),
      },
    };
  }
}

const typeName = (version: string) => `io.k8s.api.autoscaling.${version}.HorizontalPodAutoscaler`;

/** The object after decoding. */
function decoded(object: JsonObject, version: string): JsonObject {
  return checkObject(object, builtinTypes.get(typeName(version)), builtinTypes).value;
}

function hubObject(seed: number): JsonObject {
  const object = decoded(new Generator(seed).autoscaler(), 'v2');
  defaultAutoscaler(object as KubeObject);
  return decoded(object, 'v2');
}

const seeds = Array.from({ length: 500 }, (_, i) => i + 1);

describe('round trips', () => {
  it('v2 to v1 to v2', () => {
    for (const seed of seeds) {
      const hub = hubObject(seed);
      expect(v1Converter.toHub(decoded(v1Converter.fromHub(hub), 'v1')), `seed ${seed}`).toEqual(hub);
    }
  });

  it('v1 to v2 to v1', () => {
    for (const seed of seeds) {
      const v1 = v1Converter.fromHub(hubObject(seed));
      expect(JSON.stringify(v1Converter.fromHub(v1Converter.toHub(v1))), `seed ${seed}`).toBe(JSON.stringify(v1));
    }
  });
});

describe('annotations of v1', () => {
  const prefix = 'autoscaling.alpha.kubernetes.io';
  const withAnnotation = (name: string, value: string): JsonObject => ({
    metadata: { name: 'a', annotations: { [`${prefix}/${name}`]: value } },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 2 },
  });
  const specOf = (object: JsonObject) => v1Converter.toHub(object).spec as JsonObject;
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };

  it.each<[string, JsonValue]>([
    ['x', [cpu]],
    ['{}', [cpu]],
    ['[]', [cpu]],
    ['[{"type":"Pods","pods":{"metricName":5}}]', [cpu]],
    [
      '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":1}}]',
      [{ type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } }],
    ],
  ])('metrics %s', (text, metrics) => {
    expect(specOf(withAnnotation('metrics', text)).metrics).toEqual(metrics);
  });

  it('accept a behavior with the field names of v2', () => {
    const text = '{"scaleUp":{"selectPolicy":"Min","policies":[{"type":"Pods","value":1,"periodSeconds":5}]}}';
    expect(specOf(withAnnotation('behavior', text)).behavior).toEqual(JSON.parse(text));
  });

  it('are dropped in v2', () => {
    expect(v1Converter.toHub(withAnnotation('conditions', '[]')).metadata).toEqual({ name: 'a' });
  });
});
