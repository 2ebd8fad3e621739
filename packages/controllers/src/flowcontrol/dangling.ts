import { decodeObject, type FieldManagement, type ObjectRegistry } from '@tsukube/apiserver';
import { formatTime, isObject, type JsonObject, StatusError } from '@tsukube/machinery';
import { writeAs } from '../controller.ts';

const manager = 'api-priority-and-fairness-config-consumer-v1';

/** Says in the status of a schema whether the level it leads to exists. */
export function danglingConditions(
  schemas: ObjectRegistry,
  levels: ObjectRegistry,
  now: () => number,
): (name: string) => Promise<void> {
  const fieldManagement = schemas.services.fieldManagement as FieldManagement;
  return async function describe(name) {
    const entry = schemas.cache.peek(schemas.key('', name));
    if (!entry || entry.corrupt) return;
    const condition = conditionOf(decodeObject(entry.value), levels, now());
    if (!condition) return;
    const { apiVersion, kind } = decodeObject(entry.value);
    const configuration = { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } } as JsonObject;
    const { fieldManager: _, ...context } = writeAs(schemas, '', 'status');
    const apply = (existing: JsonObject | undefined) =>
      fieldManagement.apply(schemas.resource, existing, configuration, context, { manager, force: true, now: now() });
    await schemas.update(name, undefined, apply, context).catch(ignoreGone);
  };
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof StatusError && error.code === 404)) throw error;
}

/** The condition that the schema should have, or undefined if it has it. */
function conditionOf(schema: JsonObject, levels: ObjectRegistry, now: number): JsonObject | undefined {
  const level = ((schema.spec as JsonObject).priorityLevelConfiguration as JsonObject).name as string;
  const exists = levels.cache.peek(levels.key('', level)) !== undefined;
  const references = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const wanted = {
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: exists ? `${references} and it exists` : `${references} but there is no such object`,
  };
  const current = currentCondition(schema);
  if (current?.status === wanted.status && current.reason === wanted.reason && current.message === wanted.message)
    return undefined;
  return { type: 'Dangling', ...wanted, lastTransitionTime: formatTime(now) };
}

function currentCondition(schema: JsonObject): JsonObject | undefined {
  const conditions = (schema.status as JsonObject | undefined)?.conditions;
  const list = Array.isArray(conditions) ? conditions.filter(isObject) : [];
  return list.find(({ type }) => type === 'Dangling');
}
