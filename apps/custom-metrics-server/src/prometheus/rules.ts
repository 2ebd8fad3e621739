import type { GroupResource } from '@tsukube/client';
import { RE2JS } from 're2js';
import { parse } from 'yaml';

/** A label of series that names an object. */
export interface ResourceLabel extends GroupResource {
  readonly label: string;
}

/** A rule that makes metrics of series, with the fields of prometheus-adapter's configuration. */
export interface Rule {
  /** Selects series: `{__name__=~"^http_.*",namespace!="",pod!=""}`. */
  readonly seriesQuery: string;
  /** Whether a series with this name belongs to the rule. */
  readonly selects: (series: string) => boolean;
  /** The name of the metric; undefined if the series does not match. */
  readonly metricName: (series: string) => string | undefined;
  readonly labels: readonly ResourceLabel[];
  /** With `<<.Series>>`, `<<.LabelMatchers>>` and `<<.GroupBy>>`. */
  readonly metricsQuery: string;
  /** External metrics only: whether queries contain the namespace. */
  readonly namespaced: boolean;
}

export interface Rules {
  readonly rules: readonly Rule[];
  readonly externalRules: readonly Rule[];
}

/** The configuration is not valid. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

const maxRules = 1_000;

/** Parses a configuration in YAML. Throws RuleError. */
export function parseRules(text: string): Rules {
  const config = mapping(parseYaml(text), 'the configuration', ['rules', 'externalRules']);
  return { rules: rulesIn(config, 'rules'), externalRules: rulesIn(config, 'externalRules') };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw new RuleError(`the configuration is not YAML: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
}

function rulesIn(config: Mapping, key: string): Rule[] {
  const list = config[key] ?? [];
  if (!Array.isArray(list)) throw new RuleError(`${key}: expected a list`);
  if (list.length > maxRules) throw new RuleError(`${key}: more than ${maxRules} rules`);
  return list.map((rule, i) => parseRule(rule, `${key}[${i}]`));
}

function parseRule(value: unknown, at: string): Rule {
  const rule = mapping(value, at, ['seriesQuery', 'seriesFilters', 'name', 'resources', 'metricsQuery']);
  const resources = mapping(rule.resources ?? {}, `${at}.resources`, ['overrides', 'namespaced']);
  return {
    seriesQuery: text(rule, 'seriesQuery', at),
    selects: parseFilters(rule.seriesFilters ?? [], `${at}.seriesFilters`),
    metricName: parseNaming(mapping(rule.name ?? {}, `${at}.name`, ['matches', 'as']), `${at}.name`),
    labels: parseOverrides(mapping(resources.overrides ?? {}, `${at}.resources.overrides`), `${at}.resources.overrides`),
    metricsQuery: parseTemplate(text(rule, 'metricsQuery', at), `${at}.metricsQuery`),
    namespaced: resources.namespaced !== false,
  };
}

function parseFilters(value: unknown, at: string): (series: string) => boolean {
  if (!Array.isArray(value)) throw new RuleError(`${at}: expected a list`);
  const filters = value.map((each, i) => {
    const filter = mapping(each, `${at}[${i}]`, ['is', 'isNot']);
    const key = 'is' in filter ? 'is' : 'isNot';
    const pattern = expression(text(filter, key, `${at}[${i}]`), `${at}[${i}].${key}`);
    return (series: string) => pattern.matcher(series).find() === (key === 'is');
  });
  return (series) => filters.every((filter) => filter(series));
}

/** By default the name of the series, or the only group of `matches`. */
function parseNaming(name: Mapping, at: string): (series: string) => string | undefined {
  const pattern = expression(optionalText(name, 'matches', at) ?? '.*', `${at}.matches`);
  const groups = pattern.groupCount();
  const given = optionalText(name, 'as', at);
  if (given === undefined && groups > 1) throw new RuleError(`${at}.as: required, since matches has ${groups} groups`);
  const replacement = given ?? (groups === 1 ? '$1' : '$0');
  return (series) => {
    const matcher = pattern.matcher(series);
    if (!matcher.find()) return undefined;
    return replacement.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, plain?: string) => {
      const group = braced ?? plain ?? '';
      if (!/^\d+$/.test(group)) return '';
      return Number(group) > groups ? '' : (matcher.group(Number(group)) ?? '');
    });
  };
}

function parseOverrides(overrides: Mapping, at: string): ResourceLabel[] {
  return Object.entries(overrides).map(([label, value]) => {
    const override = mapping(value, `${at}.${label}`, ['group', 'resource']);
    const resource = text(override, 'resource', `${at}.${label}`);
    return { label, group: optionalText(override, 'group', `${at}.${label}`) ?? '', resource };
  });
}

const placeholder = /<<\s*\.(\w+)\s*>>/g;
const known = new Set(['Series', 'LabelMatchers', 'GroupBy']);

function parseTemplate(template: string, at: string): string {
  for (const [all, name] of template.matchAll(placeholder))
    if (!known.has(name as string)) throw new RuleError(`${at}: ${all} is unknown; known are ${[...known].join(', ')}`);
  if (template.replaceAll(placeholder, '').includes('<<'))
    throw new RuleError(`${at}: only fields are supported between << and >>`);
  return template;
}

export interface QueryParts {
  readonly series: string;
  /** `namespace="default",pod=~"a|b"`. */
  readonly labelMatchers: string;
  readonly groupBy: string;
}

/** The query of a rule. */
export function queryText({ metricsQuery }: Rule, { series, labelMatchers, groupBy }: QueryParts): string {
  const values: Readonly<Record<string, string>> = { Series: series, LabelMatchers: labelMatchers, GroupBy: groupBy };
  return metricsQuery.replaceAll(placeholder, (_, name: string) => values[name] ?? '');
}

type Mapping = Readonly<Record<string, unknown>>;

function mapping(value: unknown, at: string, keys?: readonly string[]): Mapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RuleError(`${at}: expected a mapping`);
  const unknown = keys && Object.keys(value).filter((key) => !keys.includes(key));
  if (unknown?.length) throw new RuleError(`${at}: ${unknown.join(', ')} is not supported, only ${keys?.join(', ')}`);
  return value as Mapping;
}

function text(value: Mapping, key: string, at: string): string {
  const found = optionalText(value, key, at);
  if (!found) throw new RuleError(`${at}.${key}: required`);
  return found;
}

function optionalText(value: Mapping, key: string, at: string): string | undefined {
  const found = value[key];
  if (found !== undefined && typeof found !== 'string') throw new RuleError(`${at}.${key}: expected text`);
  return found;
}

function expression(pattern: string, at: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new RuleError(`${at}: ${(error as Error).message}`, { cause: error });
  }
}
