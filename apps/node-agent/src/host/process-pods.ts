import type { HostProcess } from './proc.ts';

/** The processes of one program in a session. */
export interface ProcessContainer {
  readonly name: string;
  /** Grows also when processes have ended, as the counter of a control group does. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly startMs: number;
}

/** A session of processes. */
export interface ProcessPod {
  readonly name: string;
  /** The program of the leader. */
  readonly program: string;
  readonly session: number;
  readonly startMs: number;
  readonly containers: readonly ProcessContainer[];
}

export interface ProcessPodsOptions {
  /** Ends the names of pods, as with the mirror pods of a kubelet. */
  readonly nodeName: string;
  readonly maxPods: number;
  /** Younger sessions are no pods, and younger programs no containers of their own. */
  readonly minAgeMs: number;
}

const maxContainers = 20;

interface Container {
  cpuSeconds: number;
  residentBytes: number;
  readonly startMs: number;
}

interface Session {
  readonly name: string;
  readonly program: string;
  readonly startMs: number;
  /** Fixed when the pod is made; the first one also takes the processes of all other programs. */
  readonly containers: Map<string, Container>;
}

/**
 * Groups processes into pods: a session is a pod, the programs in it are its containers. A service manager and a login start a session
 * for each service and terminal. Sessions that are pods stay so until their last process has ended.
 */
export class ProcessPods {
  readonly #options: ProcessPodsOptions;
  readonly #sessions = new Map<number, Session>();
  /** CPU seconds of processes in the last sample, by pid and start. */
  #counted = new Map<string, number>();

  constructor(options: ProcessPodsOptions) {
    this.#options = options;
  }

  /** Takes a sample of all processes. */
  sample(processes: readonly HostProcess[], nowMs: number): ProcessPod[] {
    const bySession = groupBySession(processes);
    for (const session of [...this.#sessions.keys()]) if (!bySession.has(session)) this.#sessions.delete(session);
    for (const [session, members] of this.#newSessions(bySession, nowMs))
      this.#sessions.set(session, this.#open(session, members, nowMs));
    const counted = new Map<string, number>();
    for (const [id, session] of this.#sessions) this.#count(session, bySession.get(id) ?? [], counted);
    this.#counted = counted;
    return [...this.#sessions].map(([id, session]) => podOf(id, session));
  }

  /** The largest sessions that are old enough, as far as there is room. */
  #newSessions(bySession: ReadonlyMap<number, HostProcess[]>, nowMs: number): [number, HostProcess[]][] {
    const room = this.#options.maxPods - this.#sessions.size;
    const isOld = (members: readonly HostProcess[]) => nowMs - startOf(members) >= this.#options.minAgeMs;
    return [...bySession]
      .filter(([id, members]) => !this.#sessions.has(id) && isOld(members) && memoryOf(members) > 0)
      .sort(([, a], [, b]) => memoryOf(b) - memoryOf(a))
      .slice(0, Math.max(0, room));
  }

  #open(id: number, members: readonly HostProcess[], nowMs: number): Session {
    const leader = members.find(({ pid }) => pid === id) ?? oldest(members);
    const old = members.filter(({ startMs }) => nowMs - startMs >= this.#options.minAgeMs);
    const programs = new Set([leader, ...old].map(({ program }) => dnsLabel(program)));
    const containers = [...programs].slice(0, maxContainers).map((name): [string, Container] => {
      const own = members.filter(({ program }) => dnsLabel(program) === name);
      return [name, { cpuSeconds: 0, residentBytes: 0, startMs: startOf(own) }];
    });
    return {
      name: `${dnsLabel(leader.program)}-${id}-${this.#options.nodeName}`,
      program: dnsLabel(leader.program),
      startMs: startOf(members),
      containers: new Map(containers),
    };
  }

  /** Adds what each process used since the last sample, or all of it if the process is new. */
  #count({ containers }: Session, members: readonly HostProcess[], counted: Map<string, number>): void {
    const [first] = containers.values();
    for (const container of containers.values()) container.residentBytes = 0;
    for (const { pid, startMs, program, cpuSeconds, residentBytes } of members) {
      const key = `${pid}@${startMs}`;
      const container = containers.get(dnsLabel(program)) ?? (first as Container);
      container.cpuSeconds += Math.max(0, cpuSeconds - (this.#counted.get(key) ?? 0));
      container.residentBytes += residentBytes;
      counted.set(key, cpuSeconds);
    }
  }
}

/** Every process has used some CPU, but the kernel counts in steps of 10 ms. Metrics servers take 0 for a missing value. */
const minCpuSeconds = 0.001;

/** Containers without processes have ended. */
function podOf(session: number, { name, program, startMs, containers }: Session): ProcessPod {
  const running = [...containers].filter(([, { residentBytes }]) => residentBytes > 0);
  const reported = running.map(([container, each]) => ({
    ...each,
    name: container,
    cpuSeconds: Math.max(each.cpuSeconds, minCpuSeconds),
  }));
  return { name, program, session, startMs, containers: reported };
}

function groupBySession(processes: readonly HostProcess[]): Map<number, HostProcess[]> {
  const groups = new Map<number, HostProcess[]>();
  for (const process of processes) {
    const group = groups.get(process.session);
    if (group) group.push(process);
    else groups.set(process.session, [process]);
  }
  return groups;
}

function memoryOf(members: readonly HostProcess[]): number {
  return members.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
}

function startOf(members: readonly HostProcess[]): number {
  return members.reduce((earliest, { startMs }) => Math.min(earliest, startMs), Number.POSITIVE_INFINITY);
}

function oldest(members: readonly HostProcess[]): HostProcess {
  return members.reduce((a, b) => (b.startMs < a.startMs ? b : a));
}

/** Lower case letters, digits and dashes. */
export function dnsLabel(text: string): string {
  const label = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return label || 'process';
}
