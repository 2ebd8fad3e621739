import { ageColumn, type CellValue, column, nameColumn, type Resource } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type FieldPath,
  fillIn,
  type JsonObject,
  metadataOf,
  numberIn,
  objectIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { validateMandatoryLevel } from './defaults.ts';
import { flowResource } from './flow-kind.ts';

const types = 'io.k8s.api.flowcontrol.v1';
const queuingType = `${types}.QueuingConfiguration`;

export const priorityLevelConfiguration: Resource = flowResource({
  kind: 'PriorityLevelConfiguration',
  columns: [
    nameColumn,
    column('Type', { type: `${types}.PriorityLevelConfigurationSpec`, field: 'type' }, (object) =>
      textIn(objectIn(object, 'spec'), 'type'),
    ),
    column(
      'NominalConcurrencyShares',
      { type: `${types}.LimitedPriorityLevelConfiguration`, field: 'nominalConcurrencyShares' },
      (object) => shown(limitedOf(object), 'nominalConcurrencyShares'),
    ),
    column('Queues', { type: queuingType, field: 'queues' }, (object) => shown(queuingOf(object), 'queues')),
    column('HandSize', { type: queuingType, field: 'handSize' }, (object) => shown(queuingOf(object), 'handSize')),
    column('QueueLengthLimit', { type: queuingType, field: 'queueLengthLimit' }, (object) =>
      shown(queuingOf(object), 'queueLengthLimit'),
    ),
    ageColumn,
  ],
  applyDefaults,
  validate: validatePriorityLevel,
});

function limitedOf(object: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(object, 'spec'), 'limited');
}

function queuingOf(object: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(limitedOf(object), 'limitResponse'), 'queuing');
}

function shown(owner: JsonObject | undefined, field: string): CellValue {
  return owner ? Number(owner[field] ?? 0) : '<none>';
}

function applyDefaults(object: JsonObject): void {
  const exempt = objectIn(objectIn(object, 'spec'), 'exempt');
  if (exempt) exempt.nominalConcurrencyShares ??= 0;
  if (exempt) exempt.lendablePercent ??= 0;
  const limited = limitedOf(object);
  if (limited) limited.nominalConcurrencyShares ??= 30;
  if (limited) limited.lendablePercent ??= 0;
  const queuing = queuingOf(object);
  if (!queuing) return;
  fillIn(queuing, 'queues', 64);
  fillIn(queuing, 'handSize', 8);
  fillIn(queuing, 'queueLengthLimit', 50);
}

const specPath = path('spec');
const levelTypes = ['Exempt', 'Limited'];
const responses = ['Queue', 'Reject'];
const maxQueues = 10_000_000;
const maxHashBits = 60;
const notNegative = 'must be a non-negative integer';

function validatePriorityLevel(object: JsonObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  const type = textIn(spec, 'type');
  if ((metadataOf(object).name === 'exempt') !== (type === 'Exempt'))
    errors.invalid(specPath.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  if (type === 'Exempt') validateExempt(spec, errors);
  else if (type === 'Limited') validateLimited(spec, errors);
  else validateChoice(type, levelTypes, specPath.child('type'), errors);
  validateMandatoryLevel(object, spec, errors);
}

function validateChoice(value: string, supported: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.required(at);
  else if (!supported.includes(value)) errors.notSupported(at, value, supported);
}

function validateExempt(spec: JsonObject, errors: FieldErrors): void {
  if (spec.limited !== undefined) errors.forbidden(specPath.child('limited'), 'must be nil if the type is not Limited');
  const exempt = objectIn(spec, 'exempt');
  if (!exempt) return;
  const at = specPath.child('exempt');
  validateShares(exempt, at, errors);
  validateLendable(exempt, at, errors);
}

function validateShares(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const shares = numberIn(owner, 'nominalConcurrencyShares');
  if (shares < 0) errors.invalid(at.child('nominalConcurrencyShares'), shares, notNegative);
}

function validateLendable(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const percent = numberIn(owner, 'lendablePercent');
  if (percent < 0 || percent > 100) errors.invalid(at.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive');
}

function validateLimited(spec: JsonObject, errors: FieldErrors): void {
  if (spec.exempt !== undefined) errors.forbidden(specPath.child('exempt'), 'must be nil if the type is Limited');
  const [limited, at] = [objectIn(spec, 'limited'), specPath.child('limited')];
  if (!limited) {
    errors.required(at, 'must not be empty when type is Limited');
    return;
  }
  validateShares(limited, at, errors);
  validateResponse(objectIn(limited, 'limitResponse'), at.child('limitResponse'), errors);
  validateLendable(limited, at, errors);
  const borrowing = numberIn(limited, 'borrowingLimitPercent');
  if (borrowing < 0) errors.invalid(at.child('borrowingLimitPercent'), borrowing, `if specified, ${notNegative}`);
}

function validateResponse(response: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  const [type, queuing] = [textIn(response, 'type'), objectIn(response, 'queuing')];
  validateChoice(type, responses, at.child('type'), errors);
  if (type === 'Reject' && queuing)
    errors.forbidden(at.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited');
  if (type !== 'Queue') return;
  if (queuing) validateQueuing(queuing, at.child('queuing'), errors);
  else errors.required(at.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited');
}

function validateQueuing(queuing: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [queues, length] = [numberIn(queuing, 'queues'), numberIn(queuing, 'queueLengthLimit')];
  if (length <= 0) errors.invalid(at.child('queueLengthLimit'), length, 'must be positive');
  if (queues <= 0) errors.invalid(at.child('queues'), queues, 'must be positive');
  else if (queues > maxQueues) errors.invalid(at.child('queues'), queues, `must not be greater than ${maxQueues}`);
  const hand = numberIn(queuing, 'handSize');
  const problem = handProblem(hand, queues);
  if (problem !== undefined) errors.invalid(at.child('handSize'), hand, problem);
}

/** Shuffle sharding: the entropy of the hash limits handSize and queues. */
function handProblem(hand: number, queues: number): string | undefined {
  if (hand <= 0) return 'must be positive';
  if (hand > queues) return `should not be greater than queues (${queues})`;
  if (Math.ceil(Math.log2(queues) * hand) <= maxHashBits) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${maxHashBits}`;
}
