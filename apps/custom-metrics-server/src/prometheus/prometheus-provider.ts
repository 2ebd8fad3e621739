import { type GroupResource, groupResourceText, type Timing } from '@tsukube/client';
import { formatQuantity, type LabelRequirement, StatusError } from '@tsukube/sdk';
import type {
  CustomMetric,
  CustomMetricQuery,
  CustomMetricValue,
  ExternalMetricQuery,
  ExternalMetricValue,
  MetricsProvider,
} from '../provider/provider.ts';
import type { ResourceMapper } from '../provider/resource-mapper.ts';
import type { PrometheusClient, PrometheusLabels, PrometheusSample } from './prometheus-client.ts';
import { queryText, type Rule, type Rules } from './rules.ts';

export interface PrometheusProviderOptions {
  readonly prometheus: PrometheusClient;
  readonly rules: Rules;
  readonly resources: ResourceMapper;
  readonly timing: Timing;
  /** How often series are listed. */
  readonly relistMs: number;
  readonly onError: (error: unknown) => void;
}

/** A metric and the series it is made of. */
interface SeriesOfMetric {
  readonly metric: CustomMetric;
  readonly rule: Rule;
  readonly series: string;
  /** The label that names the object. */
  readonly label: string;
  readonly namespaceLabel: string | undefined;
}

const namespaces: GroupResource = { group: '', resource: 'namespaces' };

/** Queries Prometheus for every request. Which metrics there are is listed periodically. */
export class PrometheusProvider implements MetricsProvider {
  readonly #options: PrometheusProviderOptions;
  #custom: ReadonlyMap<string, SeriesOfMetric> = new Map();
  #external: ReadonlyMap<string, { readonly rule: Rule; readonly series: string }> = new Map();
  #problem: string | undefined = 'the series of Prometheus were not listed yet';

  constructor(options: PrometheusProviderOptions) {
    this.#options = options;
  }

  /** Lists series until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { timing, relistMs, onError } = this.#options;
    while (!signal.aborted) {
      try {
        await this.relist(signal);
        this.#problem = undefined;
      } catch (error) {
        if (signal.aborted) return;
        this.#problem = (error as Error).message;
        onError(error);
      }
      await timing.sleep(this.#problem === undefined ? relistMs : Math.min(relistMs, 5_000), signal).catch(() => {});
    }
  }

  async relist(signal: AbortSignal): Promise<void> {
    const { rules, externalRules } = this.#options.rules;
    const custom = new Map<string, SeriesOfMetric>();
    for (const rule of rules)
      for (const [series, labels] of await this.#seriesOf(rule, signal))
        for (const found of await this.#metricsOf(rule, series, labels)) custom.set(metricKey(found.metric), found);
    const external = new Map<string, { rule: Rule; series: string }>();
    for (const rule of externalRules)
      for (const [series] of await this.#seriesOf(rule, signal))
        external.set(rule.metricName(series) ?? series, { rule, series });
    this.#custom = custom;
    this.#external = external;
  }

  problem(): string | undefined {
    return this.#problem;
  }

  customMetrics(): readonly CustomMetric[] {
    return [...this.#custom.values()].map(({ metric }) => metric);
  }

  async customValues(query: CustomMetricQuery): Promise<readonly CustomMetricValue[]> {
    const found = this.#custom.get(metricKey(query));
    if (found === undefined) return [];
    const { rule, series, label, namespaceLabel } = found;
    const matchers = [
      ...(query.namespace !== undefined && namespaceLabel !== undefined ? [equalTo(namespaceLabel, [query.namespace])] : []),
      equalTo(label, query.names),
      ...query.selector.requirements.map(matcherOf),
    ];
    const text = queryText(rule, { series, labelMatchers: matchers.join(','), groupBy: label });
    const samples = await this.#options.prometheus.query(text, query.signal);
    const wanted = new Set(query.names);
    return samples.flatMap((sample) => {
      const name = nameOf(sample, label, query.names);
      return name !== undefined && wanted.has(name) ? [{ name, ...measurement(sample) }] : [];
    });
  }

  externalMetrics(): readonly string[] {
    return [...this.#external.keys()];
  }

  async externalValues({ metric, namespace, selector, signal }: ExternalMetricQuery): Promise<readonly ExternalMetricValue[]> {
    const found = this.#external.get(metric);
    if (found === undefined)
      throw StatusError.notFound({ group: 'external.metrics.k8s.io', resource: 'externalmetrics' }, metric);
    const { rule, series } = found;
    const namespaceLabel = rule.labels.find(isNamespace)?.label ?? 'namespace';
    const matchers = [
      ...(rule.namespaced ? [equalTo(namespaceLabel, [namespace])] : []),
      ...selector.requirements.map(matcherOf),
    ];
    const text = queryText(rule, { series, labelMatchers: matchers.join(','), groupBy: '' });
    const samples = await this.#options.prometheus.query(text, signal);
    return samples.map((sample) => ({ labels: withoutName(sample.labels), ...measurement(sample) }));
  }

  /** The label names of the series of a rule, by the names of the series. */
  async #seriesOf(rule: Rule, signal: AbortSignal): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { prometheus, timing, relistMs } = this.#options;
    const found = new Map<string, Set<string>>();
    for (const labels of await prometheus.series(rule.seriesQuery, timing.now() - Math.max(relistMs, 60_000), signal)) {
      const series = labels.__name__ ?? '';
      if (series === '' || !rule.selects(series) || rule.metricName(series) === undefined) continue;
      const names = found.get(series) ?? new Set();
      for (const name of Object.keys(labels)) names.add(name);
      found.set(series, names);
    }
    return found;
  }

  /** One metric for each label that names an object. */
  async #metricsOf(rule: Rule, series: string, labels: ReadonlySet<string>): Promise<SeriesOfMetric[]> {
    const namespaceLabel = rule.labels.find((each) => isNamespace(each) && labels.has(each.label))?.label;
    const metrics: SeriesOfMetric[] = [];
    for (const { label, group, resource } of rule.labels) {
      if (!labels.has(label)) continue;
      const known = await this.#options.resources.find({ group, resource });
      if (known === undefined || (known.namespaced && namespaceLabel === undefined)) continue;
      const metric = {
        group: known.group,
        resource: known.plural,
        namespaced: known.namespaced,
        metric: rule.metricName(series) ?? series,
      };
      metrics.push({ metric, rule, series, label, namespaceLabel });
    }
    return metrics;
  }
}

function metricKey(metric: Pick<CustomMetric, 'group' | 'resource' | 'metric'>): string {
  return `${groupResourceText(metric)}/${metric.metric}`;
}

function isNamespace({ group, resource }: GroupResource): boolean {
  return group === namespaces.group && (resource === namespaces.resource || resource === 'namespace');
}

/** A query without `by` has no labels: its only value is that of the only object. */
function nameOf({ labels }: PrometheusSample, label: string, names: readonly string[]): string | undefined {
  return labels[label] ?? (names.length === 1 ? names[0] : undefined);
}

function measurement({ value, timestampMs }: PrometheusSample) {
  return {
    value: formatQuantity({ mantissa: BigInt(Math.trunc(value * 1000)), exponent: -3, format: 'DecimalSI' }),
    timestampMs,
  };
}

function withoutName({ __name__, ...labels }: PrometheusLabels): PrometheusLabels {
  return labels;
}

function equalTo(label: string, values: readonly string[]): string {
  if (values.length === 1) return `${label}=${JSON.stringify(values[0])}`;
  return `${label}=~${JSON.stringify(values.map(escapeExpression).join('|'))}`;
}

/** The requirement of a selector as a matcher of PromQL, where a missing label is the empty text. */
function matcherOf({ key, operator, values }: LabelRequirement): string {
  const label = promLabel(key);
  const alternatives = JSON.stringify(values.map(escapeExpression).join('|'));
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return equalTo(label, values);
    case '!=':
    case 'notin':
      return `${label}!~${alternatives}`;
    case 'exists':
      return `${label}!=""`;
    case '!':
      return `${label}=""`;
    default:
      throw StatusError.badRequest(`metrics cannot be selected with the operator ${operator}`);
  }
}

/** Label names of Prometheus have no dots, slashes and dashes. */
function promLabel(key: string): string {
  return key.replace(/[^a-zA-Z0-9_]/g, '_');
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
