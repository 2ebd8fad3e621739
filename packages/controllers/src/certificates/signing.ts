import { X509Certificate } from 'node:crypto';
import { updateExisting } from '@tsukube/apiserver';
import { requestedCertificate } from '@tsukube/builtin';
import { formatTime, type JsonObject, type KubeObject, objectIn, textIn, textsIn } from '@tsukube/machinery';
import { issueCertificate, issuerOf } from '@tsukube/machinery/pki';
import {
  type CertificateSigning,
  type ControllerContext,
  type RunningController,
  registryNamed,
  writeAs,
} from '../controller.ts';
import { usesOf } from './key-usages.ts';
import { hasCondition, requestController, requestIn, resource, withSigningCondition } from './requests.ts';
import { signers } from './signers.ts';

/** Signs approved requests for the signers of Kubernetes. */
export function certificateSigningController(context: ControllerContext): RunningController {
  return requestController(context, async (request) => {
    const spec = objectIn(request, 'spec') ?? {};
    const refusal = signers.get(textIn(spec, 'signerName'));
    if (!refusal || !isApproved(request) || hasCondition(request, 'Failed')) return;
    const certificate = requestedCertificate(requestIn(request));
    if ('problem' in certificate) throw new Error(`unable to parse csr ${request.metadata.name}: ${certificate.problem}`);
    const message = refusal(certificate, textsIn(spec, 'usages'));
    const change =
      message === undefined
        ? withCertificate(sign(spec, certificate, context.certificateSigning, context.now()))
        : withFailure(message, context.now());
    const requests = registryNamed(context, resource);
    const { name = '', uid } = request.metadata;
    await updateExisting(requests, name, uid, change, writeAs(requests, '', 'status'));
  });
}

function isApproved(request: JsonObject): boolean {
  return hasCondition(request, 'Approved') && !hasCondition(request, 'Denied');
}

type Change = (request: KubeObject) => JsonObject;

function withCertificate(pem: string): Change {
  const certificate = Buffer.from(pem).toString('base64');
  return (request) => ({ ...request, status: { ...objectIn(request, 'status'), certificate } });
}

function withFailure(message: string, now: number): Change {
  const lastUpdateTime = formatTime(now);
  const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message, lastUpdateTime };
  return (request) => withSigningCondition(request, failed);
}

const minute = 60_000;
const backdateMs = 5 * minute;
const minDurationMs = 10 * minute;
/** The end of longer certificates is backdated too. */
const shortMs = 480 * minute;

type Requested = Exclude<ReturnType<typeof requestedCertificate>, { problem: string }>;

function sign(spec: JsonObject, request: Requested, { authority, maxDurationMs }: CertificateSigning, now: number): string {
  const { certificate, key } = authority();
  const signer = new X509Certificate(certificate);
  const expires = Date.parse(signer.validTo);
  if (now >= expires) throw new Error(`the signer has expired: ${signer.validTo}`);
  const duration = durationOf(spec, maxDurationMs);
  const end = duration < shortMs ? now + duration : now + duration - backdateMs;
  const { dns, email, ip, uri } = request.alternativeNames;
  return issueCertificate(
    {
      subject: request.name,
      publicKey: request.publicKey,
      notBefore: new Date(now - backdateMs),
      notAfter: new Date(Math.min(end, expires)),
      use: { for: 'leaf', ...usesOf(textsIn(spec, 'usages')), alternativeNames: [...dns, ...email, ...ip, ...uri] },
    },
    issuerOf(signer, key),
  );
}

function durationOf({ expirationSeconds }: JsonObject, maxMs: number): number {
  if (expirationSeconds === undefined) return maxMs;
  return Math.min(maxMs, Math.max(minDurationMs, Number(expirationSeconds) * 1000));
}
