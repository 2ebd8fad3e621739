import type { appsV1, autoscalingV2 } from '@tsukube/api/kinds';
import { formatTime } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { eventRecorder, type WorkloadEventRecorder } from '../cluster/events.ts';
import { isSame } from '../cluster/values.ts';
import { matches, selectorOf } from '../pods/ownership.ts';
import { type Recommendation, recommend } from './metrics.ts';

type Autoscaler = autoscalingV2.HorizontalPodAutoscaler;
type Condition = autoscalingV2.HorizontalPodAutoscalerCondition;
type Target = appsV1.Deployment | appsV1.ReplicaSet | appsV1.StatefulSet;

const syncMs = 15_000;
const downscaleWindowMs = 300_000;
const maxRecommendations = 1000;

const targets = { Deployment: 'deployments', ReplicaSet: 'replicasets', StatefulSet: 'statefulsets' } as const;

/** Scales workloads by the resource metrics of their pods. */
export function horizontalPodAutoscalerController(cluster: Cluster): WorkloadController {
  const autoscalers = cluster.objects('horizontalpodautoscalers');
  for (const plural of Object.values(targets)) cluster.objects(plural);
  cluster.objects('pods');
  const events = eventRecorder(cluster, 'horizontal-pod-autoscaler');
  const history = new Map<string, RecentReplicas>();
  const due = new Map<string, number>();
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const autoscaler = autoscalers.get(namespace, name);
    const key = `${namespace}/${name}`;
    if (!autoscaler) {
      history.delete(key);
      due.delete(key);
      return undefined;
    }
    // Changes of the status are no reason to look at metrics again.
    const wait = (due.get(key) ?? 0) - cluster.now();
    const isNew = (autoscaler.status?.observedGeneration ?? 0) !== (autoscaler.metadata.generation ?? 0);
    if (wait > 0 && !isNew) return wait;
    due.set(key, cluster.now() + syncMs);
    const recent = history.get(key) ?? new RecentReplicas();
    history.set(key, recent);
    await new AutoscalerSync(cluster, events, autoscaler, recent).run();
    return syncMs;
  };
  return runController(cluster, { of: autoscalers, reconcile });
}

/** Recommendations of the last minutes: a workload shrinks to the highest of them only. */
class RecentReplicas {
  #entries: { replicas: number; at: number }[] = [];

  /** The replicas after stabilization. */
  add(replicas: number, now: number, windowMs: number): number {
    this.#entries = this.#entries.filter(({ at }) => now - at < windowMs).slice(-maxRecommendations);
    this.#entries.push({ replicas, at: now });
    return Math.max(...this.#entries.map((entry) => entry.replicas));
  }
}

class AutoscalerSync {
  readonly #cluster: Cluster;
  readonly #events: WorkloadEventRecorder;
  readonly #autoscaler: Autoscaler;
  readonly #recent: RecentReplicas;
  #conditions: Condition[];

  constructor(cluster: Cluster, events: WorkloadEventRecorder, autoscaler: Autoscaler, recent: RecentReplicas) {
    this.#cluster = cluster;
    this.#events = events;
    this.#autoscaler = autoscaler;
    this.#recent = recent;
    this.#conditions = [...(autoscaler.status?.conditions ?? [])];
  }

  async run(): Promise<void> {
    const target = this.#target();
    if (!target) return this.#failed('FailedGetScale');
    this.#set('AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale");
    const current = target.spec?.replicas ?? 1;
    const { minReplicas = 1, maxReplicas } = this.#autoscaler.spec as autoscalingV2.HorizontalPodAutoscalerSpec;
    if (current === 0 && minReplicas !== 0) {
      this.#set('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
      return this.#writeStatus(current, 0, undefined, false);
    }
    if (current > maxReplicas)
      return this.#rescale(target, current, maxReplicas, 'Current number of replicas above Spec.MaxReplicas');
    if (current < minReplicas)
      return this.#rescale(target, current, minReplicas, 'Current number of replicas below Spec.MinReplicas');
    const recommendations = await this.#recommendations(target, current);
    if (!recommendations) return this.#writeStatus(current, this.#autoscaler.status?.desiredReplicas ?? 0, undefined, false);
    const best = recommendations.reduce((a, b) => (b.replicas > a.replicas ? b : a));
    this.#set(
      'ScalingActive',
      'True',
      'ValidMetricFound',
      `the HPA was able to successfully calculate a replica count from ${best.name}`,
    );
    const desired = this.#limit(this.#stabilize(best.replicas, current), current, minReplicas, maxReplicas);
    const reason = desired > current ? `${best.name} above target` : 'All metrics below target';
    await this.#rescale(target, current, desired, reason, recommendations);
  }

  #target(): Target | undefined {
    const { kind, name } = (this.#autoscaler.spec as autoscalingV2.HorizontalPodAutoscalerSpec).scaleTargetRef;
    const plural = targets[kind as keyof typeof targets];
    return plural && (this.#cluster.objects(plural).get(this.#autoscaler.metadata.namespace ?? '', name) as Target | undefined);
  }

  async #failed(reason: string): Promise<void> {
    const { kind, name } = (this.#autoscaler.spec as autoscalingV2.HorizontalPodAutoscalerSpec).scaleTargetRef;
    const message = `${targets[kind as keyof typeof targets] ?? kind}.apps "${name}" not found`;
    this.#events.warning(this.#autoscaler, reason, message);
    this.#set('AbleToScale', 'False', reason, `the HPA controller was unable to get the target's current scale: ${message}`);
    const { currentReplicas = 0, desiredReplicas = 0 } = this.#autoscaler.status ?? {};
    await this.#writeStatus(currentReplicas, desiredReplicas, undefined, false);
  }

  /** Undefined if no metric could be computed. */
  async #recommendations(target: Target, current: number): Promise<Recommendation[] | undefined> {
    const { namespace = '' } = this.#autoscaler.metadata;
    const selector = selectorOf(target.spec?.selector);
    const pods = this.#cluster
      .objects('pods')
      .list(namespace)
      .filter((pod) => matches(selector, pod));
    const found: Recommendation[] = [];
    let failure: { reason: string; message: string } | undefined;
    for (const metric of this.#autoscaler.spec?.metrics ?? []) {
      const resource = metric.resource?.name ?? '';
      try {
        const metrics = await this.#cluster.podMetrics(namespace, selector);
        if (metrics.length === 0)
          throw new Error(`unable to get metrics for resource ${resource}: no metrics returned from resource metrics API`);
        found.push(recommend(metric, pods, metrics, current));
      } catch (error) {
        failure ??= {
          reason: `FailedGet${metric.type}Metric`,
          message: `failed to get ${resource} utilization: ${(error as Error).message}`,
        };
        this.#events.warning(this.#autoscaler, failure.reason, failure.message);
      }
    }
    if (found.length > 0 || !failure) return found.length > 0 ? found : undefined;
    this.#set('ScalingActive', 'False', failure.reason, `the HPA was unable to compute the replica count: ${failure.message}`);
    const total = this.#autoscaler.spec?.metrics?.length ?? 0;
    const invalid = `invalid metrics (${total} invalid out of ${total}), first error is: failed to get ${this.#autoscaler.spec?.metrics?.[0]?.resource?.name ?? ''} resource metric value: ${failure.message}`;
    this.#events.warning(this.#autoscaler, 'FailedComputeMetricsReplicas', invalid);
    return undefined;
  }

  #stabilize(replicas: number, current: number): number {
    const seconds = this.#autoscaler.spec?.behavior?.scaleDown?.stabilizationWindowSeconds;
    const windowMs = seconds === undefined ? downscaleWindowMs : seconds * 1000;
    const stabilized = this.#recent.add(replicas, this.#cluster.now(), windowMs);
    const result = replicas < current ? Math.min(stabilized, current) : replicas;
    if (result === replicas) this.#set('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size');
    else
      this.#set(
        'AbleToScale',
        'True',
        'ScaleDownStabilized',
        'recent recommendations were higher than current one, applying the highest recent recommendation',
      );
    return result;
  }

  /** Between the bounds of the spec, and at most to twice the size, or 4, in one step. */
  #limit(desired: number, current: number, min: number, max: number): number {
    const growth = Math.max(2 * current, 4);
    const [limited, status, reason, message] =
      desired < min
        ? ([min, 'True', 'TooFewReplicas', 'the desired replica count is less than the minimum replica count'] as const)
        : desired > max
          ? ([max, 'True', 'TooManyReplicas', 'the desired replica count is more than the maximum replica count'] as const)
          : ([desired, 'False', 'DesiredWithinRange', 'the desired count is within the acceptable range'] as const);
    if (limited > growth && !this.#autoscaler.spec?.behavior?.scaleUp) {
      this.#set(
        'ScalingLimited',
        'True',
        'ScaleUpLimit',
        'the desired replica count is increasing faster than the maximum scale rate',
      );
      return growth;
    }
    this.#set('ScalingLimited', status, reason, message);
    return limited;
  }

  async #rescale(
    target: Target,
    current: number,
    desired: number,
    reason: string,
    recommendations?: readonly Recommendation[],
  ): Promise<void> {
    if (desired !== current) {
      const plural = targets[target.kind as keyof typeof targets];
      await this.#cluster.update(plural, { ...target, spec: { ...target.spec, replicas: desired } } as never);
      this.#set(
        'AbleToScale',
        'True',
        'SucceededRescale',
        `the HPA controller was able to update the target scale to ${desired}`,
      );
      this.#events.normal(this.#autoscaler, 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`);
    }
    await this.#writeStatus(current, desired, recommendations, desired !== current);
  }

  #set(type: string, status: string, reason: string, message: string): void {
    const old = this.#conditions.find((condition) => condition.type === type);
    const lastTransitionTime = (old?.status === status && old.lastTransitionTime) || formatTime(this.#cluster.now());
    const next = { type, status, lastTransitionTime, reason, message };
    this.#conditions = old
      ? this.#conditions.map((condition) => (condition === old ? next : condition))
      : [...this.#conditions, next];
  }

  async #writeStatus(
    current: number,
    desired: number,
    recommendations: readonly Recommendation[] | undefined,
    isRescaled: boolean,
  ): Promise<void> {
    const { status, metadata } = this.#autoscaler;
    const next: autoscalingV2.HorizontalPodAutoscalerStatus = {
      observedGeneration: metadata.generation,
      lastScaleTime: isRescaled ? formatTime(this.#cluster.now()) : status?.lastScaleTime,
      currentReplicas: current,
      desiredReplicas: desired,
      currentMetrics: recommendations ? recommendations.map((each) => each.status) : status?.currentMetrics,
      conditions: this.#conditions,
    };
    if (!isSame(next, status))
      await this.#cluster.update('horizontalpodautoscalers', { ...this.#autoscaler, status: next }, 'status');
  }
}
