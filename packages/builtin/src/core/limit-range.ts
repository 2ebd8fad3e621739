import { plainColumns, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  type JsonObject,
  type KubeObject,
  mapIn,
  newUid,
  objectIn,
  objectsIn,
  parseQuantity,
  path,
  quantityValue,
  textIn,
} from '@tsukube/machinery';
import { report } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';
import {
  containerResourceName,
  isOvercommitAllowed,
  roundResources,
  validateResourceName,
} from './container/resource-requirements.ts';

const v1: ServedVersion = { group: '', version: 'v1', schema: schemaOf('core.v1.LimitRange'), columns: plainColumns };

export const limitRange: Resource = {
  names: {
    plural: 'limitranges',
    singular: 'limitrange',
    kind: 'LimitRange',
    listKind: 'LimitRangeList',
    shortNames: ['limits'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/limitranges',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    allowCreateOnUpdate: true,
    applyDefaults(object) {
      for (const item of objectsIn(objectIn(object, 'spec'), 'limits')) defaultItem(item);
    },
    prepareForCreate(object) {
      object.metadata.name ||= newUid();
    },
    validateCreate: validateLimitRange,
    validateUpdate: (object, _old, errors) => validateLimitRange(object, errors),
  },
};

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** The default limit falls back to max; the default request to the default limit, then to min. */
function defaultItem(item: JsonObject): void {
  if (item.type === 'Container') {
    const limits = { ...objectIn(item, 'max'), ...objectIn(item, 'default') };
    const requests = { ...objectIn(item, 'min'), ...limits, ...objectIn(item, 'defaultRequest') };
    if (Object.keys(limits).length > 0) item.default = sorted(limits);
    if (Object.keys(requests).length > 0) item.defaultRequest = sorted(requests);
  }
  for (const list of lists) roundResources(objectIn(item, list));
}

function sorted(list: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

function validateLimitRange(object: KubeObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, item] of objectsIn(objectIn(object, 'spec'), 'limits').entries()) {
    const at = path('spec', 'limits').index(i);
    const type = textIn(item, 'type');
    validateType(type, at.child('type'), errors);
    if (seen.has(type)) errors.duplicate(at.child('type'), type);
    seen.add(type);
    validateItem(item, type, at, errors);
  }
}

function validateType(type: string, at: FieldPath, errors: FieldErrors): void {
  const problems = isQualifiedName(type);
  report(problems, at, type, errors);
  if (problems.length === 0 && !type.includes('/') && !types.includes(type))
    errors.invalid(at, type, 'must be a standard limit type or fully qualified');
}

function validateItem(item: JsonObject, type: string, at: FieldPath, errors: FieldErrors): void {
  const validateNames = (field: string) => {
    for (const name of Object.keys(mapIn(item, field))) validateName(type, name, at.child(field).key(name), errors);
  };
  validateNames('max');
  validateNames('min');
  for (const field of ['default', 'defaultRequest']) {
    if (type !== 'Pod') validateNames(field);
    else if (Object.keys(mapIn(item, field)).length > 0)
      errors.forbidden(at.child(field), "may not be specified when `type` is 'Pod'");
  }
  if (type === 'PersistentVolumeClaim' && !mapIn(item, 'min').storage && !mapIn(item, 'max').storage)
    errors.required(at.child('limits'), 'either minimum or maximum storage value is required, but neither was provided');
  validateNames('maxLimitRequestRatio');
  validateAmounts(item, type, at, errors);
}

function validateName(type: string, name: string, at: FieldPath, errors: FieldErrors): void {
  if (type === 'Pod' || type === 'Container') containerResourceName(name, at, errors);
  else validateResourceName(name, at, errors);
}

interface Amounts {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly limit?: string | undefined;
  readonly request?: string | undefined;
  readonly ratio?: string | undefined;
}

function validateAmounts(item: JsonObject, type: string, at: FieldPath, errors: FieldErrors): void {
  const [limits, requests] = type === 'Pod' ? [{}, {}] : [mapIn(item, 'default'), mapIn(item, 'defaultRequest')];
  const [min, max, ratios] = [mapIn(item, 'min'), mapIn(item, 'max'), mapIn(item, 'maxLimitRequestRatio')];
  const names = new Set([min, max, limits, requests, ratios].flatMap((list) => Object.keys(list)));
  for (const name of names) {
    const amountIn = (list: Readonly<Record<string, string>>) => (Object.hasOwn(list, name) ? list[name] : undefined);
    const amounts: Amounts = {
      min: amountIn(min),
      max: amountIn(max),
      limit: amountIn(limits),
      request: amountIn(requests),
      ratio: amountIn(ratios),
    };
    validateOrder(name, amounts, at, errors);
    validateRatio(name, amounts, at, errors);
    validateOvercommit(name, amounts, at, errors);
  }
}

function isMore(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;
}

function validateOrder(name: string, { min, max, limit, request }: Amounts, at: FieldPath, errors: FieldErrors): void {
  const field = (list: string) => at.child(list).key(name);
  if (isMore(min, max)) errors.invalid(field('min'), min, `min value ${min} is greater than max value ${max}`);
  if (isMore(min, request))
    errors.invalid(field('defaultRequest'), request, `min value ${min} is greater than default request value ${request}`);
  if (isMore(request, max))
    errors.invalid(field('defaultRequest'), request, `default request value ${request} is greater than max value ${max}`);
  if (isMore(request, limit))
    errors.invalid(
      field('defaultRequest'),
      request,
      `default request value ${request} is greater than default limit value ${limit}`,
    );
  if (isMore(min, limit)) errors.invalid(field('default'), min, `min value ${min} is greater than default value ${limit}`);
  if (isMore(limit, max)) errors.invalid(field('default'), max, `default value ${limit} is greater than max value ${max}`);
}

function validateRatio(name: string, { min, max, ratio }: Amounts, at: FieldPath, errors: FieldErrors): void {
  if (ratio === undefined) return;
  const field = at.child('maxLimitRequestRatio').key(name);
  if (isMore('1', ratio)) errors.invalid(field, ratio, `ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const maxRatio = milliValue(max) / milliValue(min);
  if (milliValue(ratio) / 1000 > maxRatio)
    errors.invalid(field, ratio, `ratio ${ratio} is greater than max/min = ${maxRatio.toFixed(6)}`);
}

function milliValue(amount: string): number {
  return Number(quantityValue(parseQuantity(amount), -3));
}

function validateOvercommit(name: string, { limit, request }: Amounts, at: FieldPath, errors: FieldErrors): void {
  if (limit === undefined || request === undefined || isOvercommitAllowed(name)) return;
  if (compareQuantities(parseQuantity(limit), parseQuantity(request)) !== 0)
    errors.invalid(
      at.child('defaultRequest').key(name),
      request,
      `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
    );
}
