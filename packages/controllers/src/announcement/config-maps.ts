import { certificateBlocks, type JsonObject } from '@tsukube/machinery';
import { type Announced, type AnnouncementContext, registryIn } from './announcement.ts';
import { keepObject } from './kept-object.ts';

const namespace = 'kube-system';

/** How this server tells who somebody is, for servers behind it that want to tell likewise. */
export function authenticationConfigMap(context: AnnouncementContext): Announced {
  const data = context.authentication;
  const keeper = keepObject(
    {
      registry: registryIn(context, '', 'configmaps'),
      namespace,
      name: 'extension-apiserver-authentication',
      wanted: (existing) => ({
        ...(existing ?? {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { name: 'extension-apiserver-authentication', namespace },
        }),
        data: { ...(existing?.data as JsonObject | undefined), ...withBundles(existing?.data as JsonObject | undefined, data) },
      }),
    },
    context,
  );
  return keeper;
}

const maxCertificates = 16;

/** Servers on one store may have authorities of their own: each adds its own to what is there. */
function withBundles(existing: JsonObject | undefined, own: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(own).map(([key, value]) => {
      const before = existing?.[key];
      return [key, key.endsWith('-ca-file') && typeof before === 'string' ? merged(before, value) : value];
    }),
  );
}

function merged(before: string, own: string): string {
  const [theirs, ours] = [before, own].map((text) => certificateBlocks(text).map((pem) => `${pem}\n`));
  const missing = (ours ?? []).filter((pem) => !theirs?.includes(pem));
  return missing.length === 0 ? before : [...(theirs ?? []).slice(missing.length - maxCertificates), ...missing].join('');
}

/** Since when tokens of the old kind, in Secrets, are told apart by when they were last used. */
export function tokenTrackingConfigMap(context: AnnouncementContext): Announced {
  const name = 'kube-apiserver-legacy-service-account-token-tracking';
  const since = new Date(context.now()).toISOString().slice(0, 10);
  const keeper = keepObject(
    {
      registry: registryIn(context, '', 'configmaps'),
      namespace,
      name,
      wanted(existing): JsonObject {
        if (!existing) return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace }, data: { since } };
        const known = (existing.data as JsonObject | undefined)?.since;
        const isDate = typeof known === 'string' && /^\d{4}-\d\d-\d\d$/.test(known) && known <= since;
        return isDate ? existing : { ...existing, data: { since } };
      },
    },
    context,
  );
  return keeper;
}
