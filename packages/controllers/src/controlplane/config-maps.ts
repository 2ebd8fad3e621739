import { certificateBlocks, type JsonObject, mapIn, objectIn } from '@tsukube/machinery';
import { type ControlPlaneContext, registryIn, type StartedHook } from './context.ts';
import { manageObject } from './managed-object.ts';

const namespace = 'kube-system';

/** The ConfigMap extension-apiserver-authentication: how aggregated API servers authenticate requests as this server does. */
export function authenticationConfigMap(context: ControlPlaneContext): StartedHook {
  const data = context.authentication;
  const manager = manageObject(
    {
      registry: registryIn(context, '', 'configmaps'),
      namespace,
      name: 'extension-apiserver-authentication',
      desired: (existing) => ({
        ...(existing ?? {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { name: 'extension-apiserver-authentication', namespace },
        }),
        data: { ...mapIn(existing, 'data'), ...withBundles(mapIn(existing, 'data'), data) },
      }),
    },
    context,
  );
  return manager;
}

const maxCertificates = 16;

/** Servers on one store may have different CAs: each adds its own certificates to the bundle. */
function withBundles(existing: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(own).map(([key, value]) => {
      const before = existing[key];
      return [key, key.endsWith('-ca-file') && typeof before === 'string' ? merged(before, value) : value];
    }),
  );
}

function merged(before: string, own: string): string {
  const [theirs, ours] = [before, own].map((text) => certificateBlocks(text).map((pem) => `${pem}\n`));
  const missing = (ours ?? []).filter((pem) => !theirs?.includes(pem));
  return missing.length === 0 ? before : [...(theirs ?? []).slice(missing.length - maxCertificates), ...missing].join('');
}

/** The ConfigMap with the date since which the last use of legacy (Secret-based) service account tokens is tracked. */
export function tokenTrackingConfigMap(context: ControlPlaneContext): StartedHook {
  const name = 'kube-apiserver-legacy-service-account-token-tracking';
  const since = new Date(context.now()).toISOString().slice(0, 10);
  const manager = manageObject(
    {
      registry: registryIn(context, '', 'configmaps'),
      namespace,
      name,
      desired(existing): JsonObject {
        if (!existing) return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace }, data: { since } };
        const known = objectIn(existing, 'data')?.since;
        const isDate = typeof known === 'string' && /^\d{4}-\d\d-\d\d$/.test(known) && known <= since;
        return isDate ? existing : { ...existing, data: { since } };
      },
    },
    context,
  );
  return manager;
}
