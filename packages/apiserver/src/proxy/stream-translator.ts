import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { isObject, type JsonValue, parseJson, type Status, statusBody, stringifyJson } from '@tsukube/machinery';
import { type Answer, acceptWebSocket, SpdyConnection, type SpdyStream, type WebSocket } from '@tsukube/transport';
import type { ResourceRequest } from '../registry/resource-request.ts';
import { asClientProblem, type Backend, hostPortOf } from './backend.ts';
import { exitStatus, failureStatus } from './exit-status.ts';
import { isSpdy } from './port-forward-tunnel.ts';
import { requestUpgrade } from './proxy-upgrade.ts';
import { streamCloseProtocol } from './websocket-protocols.ts';

/** The streams of a command. */
export interface StreamSelection {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** A command at a kubelet. */
export interface RemoteCommand {
  readonly backend: Backend;
  /** Path and query. */
  readonly target: string;
  readonly streams: StreamSelection;
  /** Called with the code of the outcome, for metrics. */
  readonly onDone?: ((code: number) => void) | undefined;
}

/** Channels of the WebSocket subprotocol. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const closeSignal = 255;
const pingIntervalMs = 5000;
const statusTimeoutMs = 10_000;

/**
 * Serves the WebSocket subprotocol v5 and speaks SPDY to the kubelet. The handshake is answered first, as kube-apiserver does: later
 * failures are a Status on the error channel.
 */
export async function translateStreams(request: ResourceRequest, command: RemoteCommand): Promise<Answer> {
  acceptWebSocket(request.exchange, streamCloseProtocol).then(
    (client) => serve(request, client, command),
    () => command.onDone?.(400),
  );
  return { kind: 'taken-over', status: 101 };
}

async function serve(request: ResourceRequest, client: WebSocket, command: RemoteCommand): Promise<void> {
  const { streams, onDone } = command;
  const gone = new AbortController();
  const stopWaiting = request.shutdown.onBegin(() => client.terminate());
  client.once('close', () => {
    stopWaiting();
    gone.abort();
  });
  // Tells the client that the connection is established.
  client.send(Buffer.from([streams.stdout ? channel.stdout : streams.stderr ? channel.stderr : channel.error]));
  client.pause();
  const outcome = await run(client, command, gone.signal).catch((error: Error) => failureStatus(error));
  onDone?.(outcome.code ?? 200);
  sendStatus(client, outcome);
}

function sendStatus(client: WebSocket, status: Status): void {
  const { kind: _kind, apiVersion: _version, ...body } = statusBody(status);
  const timer = setTimeout(() => client.terminate(), statusTimeoutMs);
  client.once('close', () => clearTimeout(timer));
  client.send(framed(channel.error, Buffer.from(stringifyJson(body))), () => client.close(1000));
  client.resume();
}

async function run(client: WebSocket, command: RemoteCommand, gone: AbortSignal): Promise<Status> {
  const { connection, protocol } = await connectToKubelet(command, gone);
  gone.addEventListener('abort', () => connection.close());
  try {
    return await stream(client, connection, protocol, command.streams);
  } finally {
    connection.close();
  }
}

const versions = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

interface KubeletConnection {
  readonly connection: SpdyConnection;
  /** The version of the protocol that the kubelet chose. */
  readonly protocol: string;
}

async function connectToKubelet({ backend, target }: RemoteCommand, signal: AbortSignal): Promise<KubeletConnection> {
  const offered = versions.flatMap((version) => ['x-stream-protocol-version', version]);
  const headers = ['host', hostPortOf(backend), 'connection', 'Upgrade', 'upgrade', 'SPDY/3.1', ...offered];
  const answered = await requestUpgrade(backend, { method: 'POST', target, headers }, signal).catch((error: Error) => {
    const problem = asClientProblem(error.message);
    throw new Error(`error sending request: Post "${backend.scheme}://${hostPortOf(backend)}${target}": ${problem}`);
  });
  const { response } = answered;
  if (answered.is === 'refused' || !isSpdy(response)) throw await refusedBy(response);
  const connection = new SpdyConnection(answered.socket, answered.head, 'client', { pingIntervalMs });
  return { connection, protocol: String(response.headers['x-stream-protocol-version'] ?? '') };
}

const maxRefusalBytes = 64 * 1024;

async function refusedBy(response: IncomingMessage): Promise<Error> {
  const { location } = response.headers;
  if (location !== undefined && [301, 302, 303, 307, 308].includes(response.statusCode ?? 0)) {
    response.destroy();
    return new Error(`error sending request: Post "${location}": redirect not allowed`);
  }
  let text = '';
  for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += piece;
    if (text.length > maxRefusalBytes) break;
  }
  return new Error(`unable to upgrade connection: ${messageIn(text)}`);
}

/** The message of a Status, or the text itself. */
function messageIn(text: string): string {
  try {
    const { value }: { value: JsonValue } = parseJson(Buffer.from(text));
    if (isObject(value) && typeof value.message === 'string' && value.message.trim() !== '') return value.message.trim();
  } catch {}
  return text.trim() === '' ? 'unknown' : text.trim();
}

/** Connects the channels with streams of the kubelet. Resolves when the command has ended and its output is sent. */
async function stream(
  client: WebSocket,
  connection: SpdyConnection,
  protocol: string,
  streams: StreamSelection,
): Promise<Status> {
  const open = (streamtype: string) => connection.open({ streamtype });
  const error = await open('error');
  const stdin = streams.stdin ? await open('stdin') : undefined;
  const stdout = streams.stdout ? await open('stdout') : undefined;
  const stderr = streams.stderr && !streams.tty ? await open('stderr') : undefined;
  const hasSizes = streams.tty && /^v[345]\./.test(protocol);
  const resize = hasSizes ? await open('resize') : undefined;
  const message = textOf(error);
  forwardInput(client, stdin, resize);
  await Promise.all([sent(stdout, client, channel.stdout), sent(stderr, client, channel.stderr)]);
  return exitStatus(await message, protocol);
}

/** Copies a stream to a channel, as fast as the client reads. */
function sent(stream: SpdyStream | undefined, client: WebSocket, number: number): Promise<void> {
  if (!stream) return Promise.resolve();
  stream.end();
  return new Promise((resolve) => {
    const toClient = new Writable({
      write: (bytes: Buffer, _encoding, done) => client.send(framed(number, bytes), (error) => done(error ?? null)),
    });
    // The rest is dropped if the client is gone.
    toClient.once('error', () => stream.resume());
    stream.pipe(toClient);
    stream.once('close', resolve);
    stream.once('end', () => toClient.once('finish', resolve));
    toClient.once('error', () => resolve());
  });
}

function framed(number: number, bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(bytes.length + 1);
  frame[0] = number;
  bytes.copy(frame, 1);
  return frame;
}

const maxStatusBytes = 1 << 20;

async function textOf(stream: SpdyStream): Promise<string> {
  stream.end();
  let text = '';
  for await (const piece of stream as AsyncIterable<Buffer>) if (text.length < maxStatusBytes) text += piece.toString('utf8');
  return text;
}

/** Copies the messages of the client to stdin and resize, and half-closes them when it asks to. */
function forwardInput(client: WebSocket, stdin: SpdyStream | undefined, resize: SpdyStream | undefined): void {
  stdin?.resume();
  stdin?.once('end', () => stdin.end());
  resize?.resume();
  for (const target of [stdin, resize]) {
    target?.on('drain', () => client.resume());
    target?.once('close', () => client.resume());
  }
  const targets: Record<number, SpdyStream | undefined> = { [channel.stdin]: stdin, [channel.resize]: resize };
  client.on('message', (data: Buffer) => {
    const [first, second] = data;
    if (first === closeSignal) return data.length === 2 ? void targets[second as number]?.end() : client.close();
    const target = targets[first as number];
    if (target?.writable && data.length >= 2 && !target.write(data.subarray(1))) client.pause();
  });
  client.resume();
}
