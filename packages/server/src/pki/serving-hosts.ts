import { hostname } from 'node:os';

const always = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** The names and addresses that the serving certificate must speak for. */
export function servingHosts(bindAddress: string, advertiseAddress: string): readonly string[] {
  const everywhere = bindAddress === '0.0.0.0' || bindAddress === '::';
  const own = everywhere ? [advertiseAddress, ...hostnameIfUsable()] : [bindAddress, advertiseAddress];
  return [...new Set([...always, ...own])];
}

function hostnameIfUsable(): string[] {
  const name = hostname().toLowerCase();
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) ? [name] : [];
}
