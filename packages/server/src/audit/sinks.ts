import { write } from 'node:fs';
import { promisify } from 'node:util';
import { type AuditEvent, type AuditSink, eventJson, legacyFormat, type OnLost } from '@tsukube/apiserver';
import { type KubeconfigWebhook, retryWithBackoff } from '../files/webhook-kubeconfig.ts';
import type { AuditFile } from './audit-file.ts';

export interface LogSinkOptions {
  readonly format: 'json' | 'legacy';
  readonly onLost: OnLost;
}

/** Log backend: one line per event. */
export function fileSink(file: AuditFile, { format, onLost }: LogSinkOptions): AuditSink {
  return {
    process(events) {
      try {
        file.write(linesOf(events, format));
        return true;
      } catch (error) {
        onLost('log', String(error), events);
        return false;
      }
    },
    close: () => file.close(),
  };
}

const writeText: (descriptor: number, text: string) => Promise<unknown> = promisify(write);
const standardOutput = 1;

/** Log backend on standard output. Writes asynchronously, one batch at a time, because the reader may be slow. */
export function outputSink({ format, onLost }: LogSinkOptions): AuditSink {
  let last: Promise<unknown> = Promise.resolve();
  return {
    process(events) {
      const written = last
        .then(() => writeText(standardOutput, linesOf(events, format)))
        .then(
          () => true,
          (error) => {
            onLost('log', String(error), events);
            return false;
          },
        );
      last = written;
      return written;
    },
    close: async () => void (await last),
  };
}

function linesOf(events: readonly AuditEvent[], format: LogSinkOptions['format']): string {
  return events.map((event) => `${format === 'json' ? eventJson(event) : legacyFormat(event)}\n`).join('');
}

/** Webhook backend: posts EventLists, with retries. */
export function webhookSink(client: KubeconfigWebhook, initialBackoffMs: number, onLost: OnLost): AuditSink {
  const stop = new AbortController();
  const send = async (list: string) => {
    const { status, body } = await client.post(list);
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}: ${body.slice(0, 200)}`);
  };
  return {
    async process(events) {
      const items = events.map((event) => eventJson(event, true)).join(',');
      const list = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}\n`;
      try {
        await retryWithBackoff({ initialMs: initialBackoffMs, signal: stop.signal }, () => send(list));
        return true;
      } catch (error) {
        onLost('webhook', String(error), events);
        return false;
      }
    },
    async close() {
      stop.abort();
      client.close();
    },
  };
}
