export interface WatchdogSettings {
  /** One Int32 that the main thread increments every `beatMs`; negative disables the watchdog. */
  readonly beats: SharedArrayBuffer;
  readonly beatMs: number;
  readonly thresholdMs: number;
  readonly format: 'text' | 'json';
  /** Global function of the main thread that summarizes its running request. */
  readonly requestKey: string;
}

interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number };
}

interface Paused {
  readonly params: { readonly callFrames: readonly CallFrame[] };
}

/**
 * The program of the watchdog thread. It is run from its source text and must be self-contained, because a thread that loads the
 * server's bundle would take many times the memory.
 */
export function watchdogThread(require: NodeJS.Require): void {
  const { Session } = require('node:inspector') as typeof import('node:inspector');
  const { writeSync } = require('node:fs') as typeof import('node:fs');
  const { workerData } = require('node:worker_threads') as typeof import('node:worker_threads');
  const { beats: shared, beatMs, thresholdMs, format, requestKey } = workerData as WatchdogSettings;
  const beats = new Int32Array(shared);
  const maxFrames = 50;
  const pauseTimeoutMs = 1000;
  let lastBeat = 0;
  let lastCheck = performance.now();
  let stuckMs = 0;
  let nextReportMs = thresholdMs;
  let isInspecting = false;

  const seconds = (ms: number) => Math.round(ms / 100) / 10;

  const write = (message: string, fields: Record<string, unknown>, stack?: readonly string[]) => {
    const time = new Date().toISOString();
    const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
    const line =
      format === 'json'
        ? JSON.stringify({ ...fields, ...(stack && { stack }), time, level: 'error', message })
        : [`${time} error ${message}${pairs.join('')}`, ...(stack ?? []).map((frame) => `    at ${frame}`)].join('\n');
    try {
      writeSync(2, `${line}\n`);
    } catch {
      // Standard error is closed, or a pipe without a reader.
    }
  };

  /** Pauses the main thread while reading its stack. */
  const inspectMainThread = (report: (stack?: readonly string[], request?: string) => void) => {
    const session = new Session();
    const scripts = new Map<string, string>();
    const post = session.post.bind(session) as (
      method: string,
      params?: object,
      done?: (error: Error | null, answer?: { result?: { value?: unknown } }) => void,
    ) => void;
    let isReported = false;
    const give = (stack?: readonly string[], request?: string) => {
      clearTimeout(timer);
      if (!isReported) report(stack, request);
      isReported = true;
    };
    // Native code cannot be interrupted; the pause takes effect when it returns.
    const timer = setTimeout(() => give(), pauseTimeoutMs);
    isInspecting = true;
    session.connectToMainThread();
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
    session.on('Debugger.paused', ({ params: { callFrames } }: Paused) => {
      const stack = callFrames.slice(0, maxFrames).map(({ functionName, location }) => {
        const place = `${scripts.get(location.scriptId)}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
        return functionName === '' ? place : `${functionName} (${place})`;
      });
      const question = { callFrameId: callFrames[0]?.callFrameId, expression: `globalThis.${requestKey}?.()`, timeout: 100 };
      post('Debugger.evaluateOnCallFrame', question, (_error, answer) => {
        give(stack, answer?.result?.value as string | undefined);
        post('Debugger.resume', {}, () => session.disconnect());
        isInspecting = false;
      });
    });
    post('Debugger.enable');
    post('Debugger.pause');
  };

  const reportStuck = (ms: number) => {
    const report = (stack?: readonly string[], request?: string) => {
      const fields = { seconds: seconds(ms), ...(request !== undefined && { request }) };
      write('event loop stands still', fields, stack ?? ['native code']);
    };
    if (isInspecting) report();
    else inspectMainThread(report);
  };

  const check = () => {
    const now = performance.now();
    // If this thread is late as well, the process was suspended or the machine is overloaded.
    const elapsed = now - lastCheck > 2 * beatMs ? 0 : now - lastCheck;
    lastCheck = now;
    const beat = Atomics.load(beats, 0);
    if (beat !== lastBeat || beat < 0) {
      if (nextReportMs > thresholdMs) write('event loop goes on', { seconds: seconds(stuckMs) });
      lastBeat = beat;
      stuckMs = 0;
      nextReportMs = thresholdMs;
      return;
    }
    stuckMs += elapsed;
    if (stuckMs < nextReportMs) return;
    nextReportMs *= 2;
    reportStuck(stuckMs);
  };
  setInterval(check, beatMs);
}
