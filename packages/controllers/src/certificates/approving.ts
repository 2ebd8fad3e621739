import { type User, updateExisting } from '@tsukube/apiserver';
import { requestedCertificate } from '@tsukube/builtin';
import { type JsonObject, type KubeObject, objectIn, setKey, textIn, textsIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from '../controller.ts';
import { hasCondition, requestController, requestIn, resource, withSigningCondition } from './requests.ts';
import { kubeletClientProblem, kubeletClientSigner } from './signers.ts';

interface Permission {
  readonly subresource: string;
  readonly message: string;
}

const ownCertificate: Permission = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const anyCertificate: Permission = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/** Approves client certificates of kubelets whose requestor may create them. */
export function certificateApproving(context: ControllerContext): RunningController {
  return requestController(context, async (request) => {
    if (hasCondition(request, 'Approved') || hasCondition(request, 'Denied')) return;
    const permissions = permissionsFor(request);
    for (const permission of permissions) {
      if (await isPermitted(request, permission, context)) return approve(request, permission, context);
    }
    // Retried with backoff: the permission may be granted later.
    if (permissions.length > 0) throw new Error(`the requestor of ${request.metadata.name} has no permission for it`);
  });
}

/** The permissions of which one suffices; none if the request is not for the client certificate of a kubelet. */
function permissionsFor(request: KubeObject): readonly Permission[] {
  const spec = objectIn(request, 'spec');
  if (textIn(spec, 'signerName') !== kubeletClientSigner) return [];
  const certificate = requestedCertificate(requestIn(request));
  if ('problem' in certificate || kubeletClientProblem(certificate, textsIn(spec, 'usages')) !== undefined) return [];
  return textIn(spec, 'username') === certificate.commonName ? [ownCertificate, anyCertificate] : [anyCertificate];
}

async function isPermitted(
  request: KubeObject,
  { subresource }: Permission,
  { authorizer }: ControllerContext,
): Promise<boolean> {
  const { decision } = await authorizer.authorize({
    user: requestorOf(request),
    verb: 'create',
    isResource: true,
    group: 'certificates.k8s.io',
    version: '*',
    resource,
    subresource,
    namespace: '',
    name: '',
    path: '',
  });
  return decision === 'allow';
}

function requestorOf(request: KubeObject): User {
  const spec = objectIn(request, 'spec') ?? {};
  const given = objectIn(spec, 'extra') ?? {};
  const extra: Record<string, string[]> = {};
  for (const key of Object.keys(given)) setKey(extra, key, [...textsIn(given, key)]);
  return { name: textIn(spec, 'username'), uid: textIn(spec, 'uid'), groups: textsIn(spec, 'groups'), extra };
}

async function approve({ metadata }: KubeObject, { message }: Permission, context: ControllerContext): Promise<void> {
  const requests = registryNamed(context, resource);
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
  const change = (existing: KubeObject): JsonObject => withSigningCondition(existing, approved);
  await updateExisting(requests, metadata.name ?? '', metadata.uid, change, writeAs(requests, '', 'approval'));
}
