import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  decodeObject,
  forbiddenByAdmission,
  type ObjectCache,
} from '@tsukube/apiserver';
import { ensureObject, type JsonObject, metadataOf, numberIn, objectIn, textIn } from '@tsukube/machinery';
import { whenFresh } from '../common/cached-objects.ts';
import { isPodRequest } from '../common/plugin.ts';

/** Priority: resolves priorityClassName to a number. `classes` is undefined if PriorityClasses are not served. */
export function priority(classes: ObjectCache | undefined): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(attributes) {
      if (!attributes.object || !isPodRequest(attributes)) return;
      if (attributes.operation === 'UPDATE') keepPriority(attributes);
      if (attributes.operation !== 'CREATE') return;
      return whenFresh(classes, () => setPriority(attributes, classes));
    },
    validate(attributes) {
      const { resource, operation, subresource } = attributes;
      if (resource.names.plural !== 'priorityclasses' || subresource !== '' || !classes) return;
      if (resource.hub.group !== 'scheduling.k8s.io' || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      if (attributes.object?.globalDefault === true) return whenFresh(classes, () => requireOneDefault(attributes, classes));
    },
  };
}

/** Updates that omit the priority keep it. */
function keepPriority({ object, oldObject }: AdmissionAttributes): void {
  const before = objectIn(oldObject, 'spec');
  if (!object || !before) return;
  const spec = ensureObject(object, 'spec');
  for (const field of ['priority', 'preemptionPolicy'])
    if (spec[field] === undefined && before[field] !== undefined) spec[field] = before[field];
}

function setPriority(attributes: AdmissionAttributes, classes: ObjectCache | undefined): void {
  if (!attributes.object) return;
  const spec = ensureObject(attributes.object, 'spec');
  const found = classOf(attributes, textIn(spec, 'priorityClassName'), classes);
  const value = numberIn(found, 'value');
  if (spec.priority !== undefined && Number(spec.priority) !== value) {
    const reason = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
    throw forbiddenByAdmission(attributes, reason);
  }
  if (found) spec.priorityClassName = metadataOf(found).name ?? '';
  spec.priority = value;
  const policy = found ? textIn(found, 'preemptionPolicy') : 'PreemptLowerPriority';
  if (policy === '') return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    const reason = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`;
    throw forbiddenByAdmission(attributes, reason);
  }
  spec.preemptionPolicy = policy;
}

/** The named PriorityClass, or the global default. */
function classOf(attributes: AdmissionAttributes, name: string, classes: ObjectCache | undefined): JsonObject | undefined {
  if (name === '') return classes && defaultClass(classes);
  const entry = classes?.peek(`${classes.prefix}${name}`);
  if (!entry) throw forbiddenByAdmission(attributes, `no PriorityClass with name ${name} was found`);
  return decodeObject(entry.value);
}

const isDefault = Buffer.from('"globalDefault":true');

/** Concurrent writes can create two global defaults; the lower priority wins. */
function defaultClass(classes: ObjectCache): JsonObject | undefined {
  let found: JsonObject | undefined;
  for (const entry of classes.range(classes.prefix)) {
    if (!entry.value.includes(isDefault)) continue;
    const candidate = decodeObject(entry.value);
    if (candidate.globalDefault === true && (!found || numberIn(candidate, 'value') < numberIn(found, 'value')))
      found = candidate;
  }
  return found;
}

function requireOneDefault(attributes: AdmissionAttributes, classes: ObjectCache): void {
  const { object, operation } = attributes;
  const { name } = (defaultClass(classes)?.metadata ?? {}) as { name?: string };
  if (name === undefined || (operation === 'UPDATE' && name === object?.metadata.name)) return;
  throw forbiddenByAdmission(attributes, `PriorityClass ${name} is already marked as default. Only one default can exist`);
}
