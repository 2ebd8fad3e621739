import { type AuditSink, eventJson, type OnLost } from '@tsukube/apiserver';
import { withBackoff } from '../webhook/backoff.ts';
import type { WebhookClient } from '../webhook/webhook-client.ts';

/** Sends lists of events, again and again for a while if nobody takes them. */
export function webhookSink(client: WebhookClient, initialBackoffMs: number, onLost: OnLost): AuditSink {
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
        await withBackoff(initialBackoffMs, () => send(list), stop.signal);
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
