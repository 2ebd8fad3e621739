import { forbiddenByAdmission } from '@tsukube/apiserver';
import {
  aggregateMessage,
  goQuote,
  type JsonObject,
  metadataOf,
  objectIn,
  objectsIn,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { mustFind, type NodeWrite, type ObjectFinder } from './node-restriction-nodes.ts';

/** CSI drivers that replace in-tree volume plugins. */
const migratedDrivers: Readonly<Record<string, string>> = {
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  awsElasticBlockStore: 'ebs.csi.aws.com',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
};

/** Nodes may request tokens only for pods that run on them, with an audience that the pod uses. */
export async function restrictServiceAccount({ node, attributes, cluster }: NodeWrite): Promise<void> {
  const { operation, subresource, namespace, object } = attributes;
  if (operation !== 'CREATE' || subresource !== 'token') return;
  const spec = objectIn(object, 'spec');
  const ref = objectIn(spec, 'boundObjectRef');
  const [name, uid] = [textIn(ref, 'name'), textIn(ref, 'uid')];
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || name === '')
    throw forbiddenByAdmission(attributes, 'node requested token not bound to a pod');
  if (uid === '') throw forbiddenByAdmission(attributes, 'node requested token with a pod binding without a uid');
  const pod = await mustFind(cluster, '', 'pods', namespace, name);
  if (uid !== metadataOf(pod).uid)
    throw forbiddenByAdmission(
      attributes,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (textIn(objectIn(pod, 'spec'), 'nodeName') !== node)
    throw forbiddenByAdmission(attributes, 'node requested token bound to a pod scheduled on a different node');
  const problem = await audienceProblem({ node, attributes, cluster }, pod, textsIn(spec, 'audiences'));
  if (problem !== undefined) throw forbiddenByAdmission(attributes, problem);
}

async function audienceProblem(
  { attributes, cluster }: NodeWrite,
  pod: JsonObject,
  audiences: readonly string[],
): Promise<string | undefined> {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const audience = audiences[0] ?? '';
  const problems: string[] = [];
  if (await isReferenced(pod, audience, cluster, problems)) return undefined;
  if (problems.length > 0) return `error validating audience ${goQuote(audience)}: ${aggregateMessage(problems)}`;
  const { user, namespace, name } = attributes;
  const { decision, error } = await cluster.authorizer.authorize({
    ...{ user, verb: 'request-serviceaccounts-token-audience', isResource: true, path: '' },
    ...{ group: '', version: 'v1', resource: audience, subresource: '', namespace, name },
  });
  if (decision === 'allow') return undefined;
  const missing = `audience ${goQuote(audience)} not found in pod spec volume`;
  if (error !== undefined) return `${missing}, error authorizing ${user.name} to request tokens for this audience: ${error}`;
  return `${missing}, ${user.name} is not authorized to request tokens for this audience`;
}

/** Whether a projected volume or the CSI driver of a volume uses tokens with the audience. */
async function isReferenced(pod: JsonObject, audience: string, cluster: ObjectFinder, problems: string[]): Promise<boolean> {
  for (const volume of objectsIn(objectIn(pod, 'spec'), 'volumes')) {
    if (projectsToken(volume, audience)) return true;
    try {
      const driver = await driverOf(volume, pod, cluster);
      if (driver !== '' && (await asksFor(driver, audience, cluster))) return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      problems.push(error.message);
    }
  }
  return false;
}

function projectsToken(volume: JsonObject, audience: string): boolean {
  return objectsIn(objectIn(volume, 'projected'), 'sources').some((source) => {
    const token = objectIn(source, 'serviceAccountToken');
    return token !== undefined && textIn(token, 'audience') === audience;
  });
}

/** The CSI driver of a volume; empty if it has none. */
function driverOf(volume: JsonObject, pod: JsonObject, cluster: ObjectFinder): string | Promise<string> {
  const { namespace, name } = metadataOf(pod) as { namespace: string; name: string };
  const claim = objectIn(volume, 'persistentVolumeClaim');
  if (objectIn(objectIn(volume, 'ephemeral'), 'volumeClaimTemplate'))
    return driverOfClaim(namespace, `${name}-${textIn(volume, 'name')}`, cluster);
  if (claim) return driverOfClaim(namespace, textIn(claim, 'claimName'), cluster);
  return driverIn(volume);
}

async function driverOfClaim(namespace: string, name: string, cluster: ObjectFinder): Promise<string> {
  const claim = await mustFind(cluster, '', 'persistentvolumeclaims', namespace, name);
  const volume = await mustFind(cluster, '', 'persistentvolumes', '', textIn(objectIn(claim, 'spec'), 'volumeName'));
  return driverIn(objectIn(volume, 'spec') ?? {});
}

function driverIn(source: JsonObject): string {
  const csi = objectIn(source, 'csi');
  if (csi) return textIn(csi, 'driver');
  return Object.entries(migratedDrivers).find(([plugin]) => objectIn(source, plugin))?.[1] ?? '';
}

async function asksFor(driver: string, audience: string, cluster: ObjectFinder): Promise<boolean> {
  const found = await mustFind(cluster, 'storage.k8s.io', 'csidrivers', '', driver);
  return objectsIn(objectIn(found, 'spec'), 'tokenRequests').some((request) => textIn(request, 'audience') === audience);
}
