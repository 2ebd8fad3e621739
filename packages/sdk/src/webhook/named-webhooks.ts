import type { AdmissionWebhook, WebhookMatch } from './webhook.ts';

/** A webhook with its place in the configuration and on the server. */
export interface NamedWebhook {
  readonly webhook: AdmissionWebhook;
  /** A domain of at least three labels, as Kubernetes requires. */
  readonly name: string;
  /** `/mutate/pods`, `/validate/pods-eviction`. */
  readonly path: string;
}

/** Names webhooks after their resources, unless they have a name. Throws if names repeat or a webhook has none to match. */
export function nameWebhooks(webhooks: readonly AdmissionWebhook[], program: string): NamedWebhook[] {
  const taken = new Set<string>();
  return webhooks.map((webhook) => {
    const label = webhook.match.name ?? freeLabel(labelOf(webhook.match), webhook.type, taken);
    const path = `/${webhook.type === 'mutating' ? 'mutate' : 'validate'}/${label}`;
    if (taken.has(path)) throw new Error(`there are two ${webhook.type} webhooks with the name ${label}`);
    taken.add(path);
    return { webhook, name: isDomain(label) ? label : `${label}.${program}.webhook`, path };
  });
}

function labelOf({ resource, subresource }: WebhookMatch): string {
  const parts = [...[resource].flat(), ...(subresource === undefined ? [] : [subresource])];
  return parts
    .join('-')
    .replaceAll('*', 'all')
    .replace(/[^a-z0-9-]/g, '-');
}

function freeLabel(label: string, type: AdmissionWebhook['type'], taken: ReadonlySet<string>): string {
  const prefix = type === 'mutating' ? '/mutate/' : '/validate/';
  if (!taken.has(prefix + label)) return label;
  for (let i = 2; ; i++) if (!taken.has(`${prefix}${label}-${i}`)) return `${label}-${i}`;
}

function isDomain(label: string): boolean {
  return label.split('.').length >= 3;
}
