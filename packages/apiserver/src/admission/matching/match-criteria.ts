import { type JsonObject, type LabelSelector, labelSelectorOf, objectIn, StatusError, textIn } from '@tsukube/machinery';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import { labelsOf } from '../../registry/derived.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { type AdmissionRule, compileRules, matchesName, matchesRule } from './rules.ts';

/** Decides which requests a webhook, policy or binding applies to. */
export interface MatchCriteria {
  /** Undefined if requests for all resources match: bindings may have no rules. */
  readonly rules: readonly AdmissionRule[] | undefined;
  readonly excluded: readonly AdmissionRule[];
  /** Rules for one version also match requests in other versions of the same resource. */
  readonly isEquivalent: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
}

/** From MatchResources, with `resourceRules` and `excludeResourceRules`. No rules match every resource. */
export function compileMatchResources(match: JsonObject | undefined): MatchCriteria {
  const rules = match ? compileRules(match, 'resourceRules') : [];
  return {
    rules: rules.length > 0 ? rules : undefined,
    excluded: match ? compileRules(match, 'excludeResourceRules') : [],
    ...selectorsOf(match),
  };
}

/** From a webhook, with `rules`. No rules match nothing. */
export function compileWebhookMatch(webhook: JsonObject): MatchCriteria {
  return { rules: compileRules(webhook, 'rules'), excluded: [], ...selectorsOf(webhook) };
}

/** Absent selectors select everything. */
function selectorsOf(
  owner: JsonObject | undefined,
): Pick<MatchCriteria, 'isEquivalent' | 'namespaceSelector' | 'objectSelector'> {
  return {
    isEquivalent: textIn(owner, 'matchPolicy') === 'Equivalent',
    namespaceSelector: labelSelectorOf(objectIn(owner, 'namespaceSelector') ?? {}),
    objectSelector: labelSelectorOf(objectIn(owner, 'objectSelector') ?? {}),
  };
}

/**
 * The version in which a request matches: that of the request, or an equivalent one that a rule names. Undefined if it does not
 * match. Throws 404 if the labels of a missing namespace decide. `namespaces` is undefined if Namespaces are not served.
 */
export function matchedVersion(
  criteria: MatchCriteria,
  attributes: AdmissionAttributes,
  namespaces: ObjectCache | undefined,
): ServedVersion | undefined | Promise<ServedVersion | undefined> {
  const version = versionByRules(criteria, attributes);
  if (!version || !selectsObject(criteria.objectSelector, attributes)) return undefined;
  const selected = selectsNamespace(criteria.namespaceSelector, attributes, namespaces);
  if (selected instanceof Promise) return selected.then((isSelected) => (isSelected ? version : undefined));
  return selected ? version : undefined;
}

function versionByRules(
  { rules, excluded, isEquivalent }: MatchCriteria,
  attributes: AdmissionAttributes,
): ServedVersion | undefined {
  if (excluded.length > 0 && versionIn(excluded, attributes, isEquivalent)) return undefined;
  return rules ? versionIn(rules, attributes, isEquivalent) : attributes.version;
}

/** The version of the request if a rule matches it; otherwise the first rule decides, and the first version that it matches. */
function versionIn(
  rules: readonly AdmissionRule[],
  attributes: AdmissionAttributes,
  isEquivalent: boolean,
): ServedVersion | undefined {
  const { version } = attributes;
  if (rules.some((rule) => matchesRule(rule, attributes, version) && matchesName(rule, attributes))) return version;
  if (!isEquivalent) return undefined;
  const others = equivalentVersions(attributes);
  if (others.length === 0) return undefined;
  for (const rule of rules) {
    if (!matchesName(rule, attributes)) continue;
    const matched = others.find((other) => matchesRule(rule, attributes, other));
    if (matched) return matched;
  }
  return undefined;
}

const none: readonly ServedVersion[] = [];

/** The other group/versions in which the same objects are served. */
function equivalentVersions({ resource, version }: AdmissionAttributes): readonly ServedVersion[] {
  const { versions, relatedVersions = none } = resource;
  if (versions.length + relatedVersions.length < 2) return none;
  return [...versions, ...relatedVersions].filter((other) => other !== version);
}

function selectsObject(selector: LabelSelector, { object, oldObject }: AdmissionAttributes): boolean {
  if (selector.everything) return true;
  return [object, oldObject].some((each) => each !== undefined && selector.matches(each.metadata?.labels ?? {}));
}

/** Cluster-scoped objects other than namespaces are always selected. */
function selectsNamespace(
  selector: LabelSelector,
  attributes: AdmissionAttributes,
  namespaces: ObjectCache | undefined,
): boolean | Promise<boolean> {
  if (selector.everything) return true;
  const { resource, subresource, operation, object, namespace } = attributes;
  const isNamespace = resource.hub.group === '' && resource.names.plural === 'namespaces';
  if (isNamespace && subresource === '' && object && (operation === 'CREATE' || operation === 'UPDATE'))
    return selector.matches(object.metadata.labels ?? {});
  if (namespace === '' && !isNamespace) return true;
  const found = namespaceNamed(namespace, namespaces);
  const matches = (entry: CacheEntry) => selector.matches(labelsOf(entry));
  return found instanceof Promise ? found.then(matches) : matches(found);
}

/** Synchronous if the namespace is cached; a missing one is looked up in the store. Throws 404. */
export function namespaceNamed(name: string, namespaces: ObjectCache | undefined): CacheEntry | Promise<CacheEntry> {
  const key = `${namespaces?.prefix}${name}`;
  const cached = namespaces?.loaded() === undefined ? namespaces?.peek(key) : undefined;
  return cached ?? storedNamespace(name, key, namespaces);
}

async function storedNamespace(name: string, key: string, namespaces: ObjectCache | undefined): Promise<CacheEntry> {
  const found = await namespaces?.get(key);
  if (!found) throw StatusError.notFound({ group: '', resource: 'namespaces' }, name);
  return found;
}
