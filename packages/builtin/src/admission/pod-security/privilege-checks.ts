import { type JsonObject, objectIn, textsIn } from '@tsukube/machinery';
import { type CheckedPod, type CheckPod, containersFailing, containersText, distinct, inQuotes, settersText } from './check.ts';

export const privileged: CheckPod = (pod) => {
  const bad = containersFailing(pod, (context) => context?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
};

export const allowPrivilegeEscalation: CheckPod = (pod) => {
  const bad = containersFailing(pod, (context) => context?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const defaultCapabilities = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const baselineCapabilities: CheckPod = (pod) => {
  const detail = addedCapabilities(pod, (capability) => defaultCapabilities.has(capability));
  return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
};

export const restrictedCapabilities: CheckPod = (pod) => {
  const keeping = containersFailing(pod, (context) => !textsIn(objectIn(context, 'capabilities'), 'drop').includes('ALL'));
  const kept = keeping.length > 0 ? `${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]` : '';
  const added = addedCapabilities(pod, (capability) => capability === 'NET_BIND_SERVICE');
  const details = [kept, added].filter((detail) => detail !== '');
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** Empty if no container adds a capability that is not allowed. */
function addedCapabilities(pod: CheckedPod, isAllowed: (capability: string) => boolean): string {
  const added: string[] = [];
  const bad = containersFailing(pod, (context) => {
    const forbidden = textsIn(objectIn(context, 'capabilities'), 'add').filter((capability) => !isAllowed(capability));
    added.push(...forbidden);
    return forbidden.length > 0;
  });
  if (bad.length === 0) return '';
  return `${containersText(bad)} must not include ${inQuotes(distinct(added))} in securityContext.capabilities.add`;
}

export const runAsNonRoot: CheckPod = (pod) => {
  const reason = 'runAsNonRoot != true';
  const ofPod = pod.securityContext?.runAsNonRoot;
  const explicit = settersText(
    ofPod === false,
    containersFailing(pod, (context) => context?.runAsNonRoot === false),
  );
  if (explicit !== '') return { reason, detail: `${explicit} must not set securityContext.runAsNonRoot=false` };
  const implicit = ofPod === true ? [] : containersFailing(pod, (context) => typeof context?.runAsNonRoot !== 'boolean');
  if (implicit.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(implicit)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: CheckPod = (pod) => {
  const isRoot = (context: JsonObject | undefined) => context?.runAsUser === 0;
  const setters = settersText(isRoot(pod.securityContext), containersFailing(pod, isRoot));
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

/** Only the default mount of /proc, which masks parts of it. */
export const procMount: CheckPod = (pod) => {
  const types: string[] = [];
  const bad = containersFailing(pod, (context) => {
    const type = context?.procMount;
    if (typeof type !== 'string' || type === 'Default') return false;
    types.push(type);
    return true;
  });
  if (bad.length === 0) return undefined;
  return {
    reason: 'procMount',
    detail: `${containersText(bad)} must not set securityContext.procMount to ${inQuotes(distinct(types))}`,
  };
};
