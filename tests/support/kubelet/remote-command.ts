import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { SpdyStream } from '@tsukube/transport';
import { type CommandStreams, runCommand } from './processes.ts';
import { acceptSpdy } from './spdy-server.ts';

const protocols = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

export interface RemoteCommand {
  readonly command: readonly string[];
  readonly isTerminal: boolean;
  /** The stream types that the client opens besides the error stream. */
  readonly wanted: readonly string[];
}

/** The options in the query of a kubelet's exec or attach. */
export function commandOf(query: URLSearchParams, attached: readonly string[] | undefined): RemoteCommand {
  const has = (name: string) => query.get(name) === '1';
  const isTerminal = has('tty');
  const wanted = [
    ...(has('input') ? ['stdin'] : []),
    ...(has('output') ? ['stdout'] : []),
    ...(has('error') && !isTerminal ? ['stderr'] : []),
  ];
  return { command: attached ?? query.getAll('command'), isTerminal, wanted };
}

/** Serves exec and attach over SPDY: waits for the streams of the client, runs the command and reports its exit code. */
export function serveRemoteCommand(request: IncomingMessage, socket: Duplex, head: Buffer, remote: RemoteCommand): void {
  const streams = new Map<string, SpdyStream>();
  const accepted = acceptSpdy(request, socket, head, protocols, (stream, headers) => {
    streams.set(headers.get('streamtype') ?? '', stream);
    if (accepted && streams.size === expected(accepted.protocol)) void serve(accepted.protocol);
  });
  const expected = (protocol: string) =>
    1 + remote.wanted.length + (remote.isTerminal && protocol !== 'channel.k8s.io' && !protocol.startsWith('v2') ? 1 : 0);
  const serve = async (protocol: string): Promise<void> => {
    const code = await run(remote, Object.fromEntries(streams), (stop) => accepted?.connection.onClose(stop));
    const error = streams.get('error') as SpdyStream;
    const message = protocol.startsWith('v4') ? statusText(code) : code === 0 ? '' : `command terminated with exit code ${code}`;
    error.end(message, () => setTimeout(() => accepted?.connection.close(), 20));
  };
}

function run(
  { command, isTerminal }: RemoteCommand,
  streams: Partial<Record<string, Readable & Writable>>,
  onGone: (stop: () => void) => void,
): Promise<number> {
  const { stdin, stdout, stderr, resize } = streams;
  const used: CommandStreams = { stdin, stdout, stderr, resize };
  for (const stream of [stdout, stderr, streams.error]) stream?.resume();
  return runCommand(command, isTerminal, used, onGone);
}

/** The Status that v4 sends on the error stream. */
export function statusText(code: number): string {
  if (code === 0) return '{"metadata":{},"status":"Success"}';
  return JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  });
}
