import { ageColumn, type Column, column, nameColumn, type RowCondition } from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { isConditionTrue } from '../../common/conditions.ts';
import { specOf, statusOf } from '../../common/objects.ts';

const podStatus = 'io.k8s.api.core.v1.PodStatus';
const podSpec = 'io.k8s.api.core.v1.PodSpec';
const none = '<none>';

export const podColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Ready',
    type: 'string',
    description: 'The aggregate readiness state of this pod for accepting traffic.',
    value: (pod) => summaryOf(pod).ready,
  },
  {
    name: 'Status',
    type: 'string',
    description: 'The aggregate status of the containers in this pod.',
    value: (pod) => summaryOf(pod).reason,
  },
  {
    name: 'Restarts',
    type: 'string',
    description:
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    value(pod) {
      const { restarts, lastRestart } = summaryOf(pod);
      return restarts === 0 || lastRestart === undefined
        ? String(restarts)
        : { age: lastRestart, before: `${restarts} (`, after: ' ago)' };
    },
  },
  ageColumn,
  wide('IP', podStatus, 'podIP', (_spec, status) => textIn(objectsIn(status, 'podIPs')[0], 'ip')),
  wide('Node', podSpec, 'nodeName', (spec) => textIn(spec, 'nodeName')),
  wide('Nominated Node', podStatus, 'nominatedNodeName', (_spec, status) => textIn(status, 'nominatedNodeName')),
  wide('Readiness Gates', podSpec, 'readinessGates', gatesOf),
];

function wide(
  name: string,
  type: string,
  field: string,
  text: (spec: JsonObject | undefined, status: JsonObject | undefined) => string,
): Column {
  const value = (pod: KubeObject) => text(objectIn(pod, 'spec'), objectIn(pod, 'status')) || none;
  return column(name, { type, field }, value, { priority: 1 });
}

function gatesOf(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = objectsIn(spec, 'readinessGates');
  if (gates.length === 0) return none;
  const open = gates.filter(({ conditionType }) => {
    const condition = objectsIn(status, 'conditions').find(({ type }) => type === conditionType);
    return condition?.status === 'True';
  });
  return `${open.length}/${gates.length}`;
}

/** kubectl hides rows of completed pods. */
export function podRowConditions(pod: KubeObject): readonly RowCondition[] {
  const phase = textIn(objectIn(pod, 'status'), 'phase');
  if (phase === 'Succeeded')
    return [{ type: 'Completed', status: 'True', reason: phase, message: 'The pod has completed successfully.' }];
  if (phase === 'Failed') return [{ type: 'Completed', status: 'True', reason: phase, message: 'The pod failed.' }];
  return [];
}

/** The cells of a pod in `kubectl get pods`. */
interface PodSummary {
  readonly ready: string;
  readonly reason: string;
  readonly restarts: number;
  /** When a container last terminated before a restart. */
  readonly lastRestart: string | undefined;
}

interface Restarts {
  count: number;
  last: string | undefined;
}

export function summaryOf(pod: KubeObject): PodSummary {
  const spec = specOf(pod);
  const status = statusOf(pod);
  const init = summarizeInit(spec, status);
  const running = init.reason === undefined || isConditionTrue(status, 'Initialized');
  const main = running ? summarizeContainers(status, init.reason ?? phaseReason(status), init.sidecars) : undefined;
  const { count, last } = main?.restarts ?? init.all;
  const ready = init.ready + (main?.ready ?? 0);
  const reason = main?.reason ?? init.reason ?? phaseReason(status);
  const total = objectsIn(spec, 'containers').length + sidecarsOf(spec).size;
  return { ready: `${ready}/${total}`, reason: deletionReason(pod, status) ?? reason, restarts: count, lastRestart: last };
}

function phaseReason(status: JsonObject): string {
  const gated = objectsIn(status, 'conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : textIn(status, 'reason') || textIn(status, 'phase');
}

function deletionReason(pod: KubeObject, status: JsonObject): string | undefined {
  if (objectIn(pod, 'metadata')?.deletionTimestamp === undefined) return undefined;
  if (textIn(status, 'reason') === 'NodeLost') return 'Unknown';
  const phase = textIn(status, 'phase');
  return phase === 'Failed' || phase === 'Succeeded' ? undefined : 'Terminating';
}

function sidecarsOf(spec: JsonObject): ReadonlySet<string> {
  const sidecars = objectsIn(spec, 'initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  return new Set(sidecars.map((container) => textIn(container, 'name')));
}

interface InitSummary {
  /** `Init:…` while init containers run; undefined afterwards. */
  readonly reason: string | undefined;
  readonly ready: number;
  readonly all: Restarts;
  readonly sidecars: Restarts;
}

function summarizeInit(spec: JsonObject, status: JsonObject): InitSummary {
  const sidecars = sidecarsOf(spec);
  const summary = { ready: 0, all: noRestarts(), sidecars: noRestarts() };
  for (const [i, container] of objectsIn(status, 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(textIn(container, 'name'));
    countRestarts(summary.all, container);
    if (isSidecar) countRestarts(summary.sidecars, container);
    const state = objectIn(container, 'state');
    const terminated = objectIn(state, 'terminated');
    if (terminated && numberIn(terminated, 'exitCode') === 0) continue;
    if (isSidecar && container.started === true) {
      if (container.ready === true) summary.ready++;
      continue;
    }
    const reason = initReason(terminated, state, `${i}/${objectsIn(spec, 'initContainers').length}`);
    return { ...summary, reason: `Init:${reason}` };
  }
  return { ...summary, reason: undefined };
}

function initReason(terminated: JsonObject | undefined, state: JsonObject | undefined, progress: string): string {
  if (terminated) return endReason(terminated);
  const waiting = textIn(objectIn(state, 'waiting'), 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? progress : waiting;
}

function endReason(terminated: JsonObject): string {
  const reason = textIn(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberIn(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberIn(terminated, 'exitCode')}` : `Signal:${signal}`;
}

interface ContainersSummary {
  readonly ready: number;
  readonly reason: string;
  readonly restarts: Restarts;
}

/** Containers are visited in reverse: the reason of the first one wins. */
function summarizeContainers(status: JsonObject, initial: string, sidecars: Restarts): ContainersSummary {
  const restarts = { ...sidecars };
  let [ready, reason, errorReason] = [0, initial, ''];
  for (const container of [...objectsIn(status, 'containerStatuses')].reverse()) {
    countRestarts(restarts, container);
    const state = objectIn(container, 'state');
    const waiting = textIn(objectIn(state, 'waiting'), 'reason');
    const terminated = objectIn(state, 'terminated');
    if (waiting !== '') reason = waiting;
    else if (terminated) {
      reason = endReason(terminated);
      if (numberIn(terminated, 'exitCode') !== 0) errorReason = reason;
    } else if (container.ready === true && objectIn(state, 'running')) ready++;
  }
  if (reason === 'Completed') reason = completedReason(status, ready > 0, errorReason);
  return { ready, reason, restarts };
}

/** A completed container does not make the pod Completed while others run. */
function completedReason(status: JsonObject, hasRunning: boolean, errorReason: string): string {
  if (hasRunning && isConditionTrue(status, 'Ready')) return 'Running';
  if (errorReason !== '') return errorReason;
  return hasRunning ? 'NotReady' : 'Completed';
}

function noRestarts(): Restarts {
  return { count: 0, last: undefined };
}

function countRestarts(restarts: Restarts, container: JsonObject): void {
  restarts.count += numberIn(container, 'restartCount');
  const ended = textIn(objectIn(objectIn(container, 'lastState'), 'terminated'), 'finishedAt');
  if (ended !== '' && (restarts.last === undefined || ended > restarts.last)) restarts.last = ended;
}
