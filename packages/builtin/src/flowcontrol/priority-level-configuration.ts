import { ageColumn, type CellValue, column, nameColumn, type Resource } from '@tsukube/apiserver';
import { fillIn, type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import { flowResource } from './flow-kind.ts';
import { validatePriorityLevel } from './priority-level-validation.ts';

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
