import { X509Certificate } from 'node:crypto';
import { decodeObject, deleteObject } from '@tsukube/apiserver';
import { certificateBlocks, type KubeObject, textIn } from '@tsukube/machinery';
import { type ControllerContext, ignoreNotFound, type RunningController, registryNamed, writeAs } from '../controller.ts';
import { certificateIn, conditionsIn, resource } from './requests.ts';

const hour = 3_600_000;
const intervalMs = hour;
/** Requests that were decided, and requests that wait. */
const [decidedMs, pendingMs] = [hour, 24 * hour];

/** Deletes old CertificateSigningRequests, once an hour. */
export function certificateCleaner(context: ControllerContext): RunningController {
  const clean = () =>
    removeOld(context).catch((error: unknown) =>
      context.logger.warn('certificate signing requests could not be cleaned up', { error: String(error) }),
    );
  const timer = setInterval(() => void clean(), intervalMs).unref();
  void clean();
  return { stop: () => clearInterval(timer) };
}

async function removeOld(context: ControllerContext): Promise<void> {
  const requests = registryNamed(context, resource);
  const { entries } = await requests.cache.list(requests.cache.prefix);
  for (const { value } of entries) {
    const request = decodeObject(value);
    if (!isOld(request, context.now())) continue;
    const { name = '', uid = '' } = request.metadata;
    await ignoreNotFound(deleteObject(requests, name, { preconditions: { uid } }, writeAs(requests, '')));
  }
}

/** Whether a request was decided an hour ago or waits for a day, or its certificate has expired. */
export function isOld(request: KubeObject, now: number): boolean {
  const conditions = conditionsIn(request);
  if (conditions.length === 0) return now - Date.parse(request.metadata.creationTimestamp ?? '') > pendingMs;
  const certificate = certificateIn(request);
  return conditions.some((condition) => {
    const age = now - Date.parse(textIn(condition, 'lastUpdateTime'));
    if (condition.type === 'Denied' || condition.type === 'Failed') return age > decidedMs;
    if (condition.type !== 'Approved') return false;
    return certificate === '' ? age > pendingMs : age > decidedMs || isExpired(certificate, now);
  });
}

function isExpired(base64: string, now: number): boolean {
  const [pem] = certificateBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  try {
    return pem !== undefined && Date.parse(new X509Certificate(pem).validTo) < now;
  } catch {
    return false;
  }
}
