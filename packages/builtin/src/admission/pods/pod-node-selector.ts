import type { AdmissionAttributes, AdmissionPlugin, ObjectCache } from '@tsukube/apiserver';
import {
  ensureObject,
  goQuote,
  isQualifiedName,
  isValidLabelValue,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  StatusError,
} from '@tsukube/machinery';
import { peekObject, whenFresh } from '../common/cached-objects.ts';
import { addToMap, isPodRequest, unknownError } from '../common/plugin.ts';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
const clusterDefault = 'clusterDefaultNodeSelector';

type Labels = ReadonlyMap<string, string>;

/**
 * PodNodeSelector: pods get the node selector of their namespace, from its annotation or the cluster's default, and may select
 * only labels that the configuration allows for the namespace.
 */
export function podNodeSelector(namespaces: ObjectCache | undefined, configuration: JsonObject | undefined): AdmissionPlugin {
  const selectors = mapIn(configuration, 'podNodeSelectorPluginConfig');
  const select = (attributes: AdmissionAttributes, isMutation: boolean) => {
    const { operation, object } = attributes;
    if (!object || operation !== 'CREATE' || !isPodRequest(attributes)) return;
    return whenFresh(namespaces, () => {
      const ofNamespace = namespaceSelector(peekObject(namespaces, attributes.namespace), selectors);
      requireNoConflict(object, ofNamespace);
      if (isMutation) addToMap(ensureObject(object, 'spec'), 'nodeSelector', missingIn(object, ofNamespace));
      requireAllowed(object, parseSelector(selectors[attributes.namespace] ?? ''));
    });
  };
  return {
    name: 'PodNodeSelector',
    mutate: (attributes) => select(attributes, true),
    validate: (attributes) => select(attributes, false),
  };
}

function namespaceSelector(namespace: KubeObject | undefined, selectors: Readonly<Record<string, string>>): Labels {
  const annotations = mapIn(namespace?.metadata, 'annotations');
  return parseSelector((Object.hasOwn(annotations, annotation) ? annotations[annotation] : selectors[clusterDefault]) ?? '');
}

function nodeSelectorOf(pod: KubeObject): Readonly<Record<string, string>> {
  return mapIn(objectIn(pod, 'spec'), 'nodeSelector');
}

function requireNoConflict(pod: KubeObject, ofNamespace: Labels): void {
  const own = nodeSelectorOf(pod);
  if ([...ofNamespace].some(([key, value]) => Object.hasOwn(own, key) && own[key] !== value))
    throw forbidden(pod, 'pod node label selector conflicts with its namespace node label selector');
}

function missingIn(pod: KubeObject, ofNamespace: Labels): Record<string, string> {
  const own = nodeSelectorOf(pod);
  return Object.fromEntries([...ofNamespace].filter(([key]) => !Object.hasOwn(own, key)));
}

/** An empty list of allowed labels allows all. */
function requireAllowed(pod: KubeObject, allowed: Labels): void {
  if (allowed.size === 0) return;
  if (Object.entries(nodeSelectorOf(pod)).some(([key, value]) => allowed.get(key) !== value))
    throw forbidden(pod, 'pod node label selector labels conflict with its namespace whitelist');
}

function forbidden({ metadata }: KubeObject, reason: string): StatusError {
  return StatusError.forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', reason);
}

/** Reads `key=value,key=value`. */
function parseSelector(selector: string): Labels {
  if (selector === '') return new Map();
  return new Map(
    selector.split(',').map((label): [string, string] => {
      const parts = label.split('=');
      if (parts.length !== 2) throw unknownError(`invalid selector: [${parts.join(' ')}]`);
      const [key, value] = parts.map((part) => part.trim()) as [string, string];
      requireValid('<nil>', key, isQualifiedName(key));
      requireValid(`[${key}]`, value, isValidLabelValue(value));
      return [key, value];
    }),
  );
}

function requireValid(field: string, text: string, problems: readonly string[]): void {
  if (problems.length > 0) throw unknownError(`${field}: Invalid value: ${goQuote(text)}: ${problems.join('; ')}`);
}
