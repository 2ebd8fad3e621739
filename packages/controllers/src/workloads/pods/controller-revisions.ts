import type { appsV1, coreV1 } from '@tsukube/api/kinds';
import type { ApiObject } from '@tsukube/client';
import { StatusError } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { copyOf, isSame } from '../cluster/values.ts';
import { claim, controllerRef, selectorOf } from './ownership.ts';
import { templateHash } from './pod-template.ts';

type Revision = appsV1.ControllerRevision;

/** The label of pods and ControllerRevisions with the hash of the revision. */
export const revisionLabel = 'controller-revision-hash';

/** A StatefulSet or DaemonSet. */
export interface RevisionOwner extends ApiObject {
  spec?: { selector?: appsV1.StatefulSetSpec['selector']; template?: coreV1.PodTemplateSpec };
  status?: { collisionCount?: number };
}

/** Metadata of new ControllerRevisions. */
export interface RevisionMetadata {
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** The label that gets the hash. */
  readonly hashLabel: string;
}

export interface History {
  /** The revision of the current template. */
  readonly current: Revision;
  /** All revisions, the oldest first. */
  readonly all: readonly Revision[];
}

/** The strategic merge patch that restores a template. */
function dataOf({ spec }: RevisionOwner): Record<string, unknown> {
  return { spec: { template: { ...copyOf(spec?.template), $patch: 'replace' } } };
}

/** Finds or creates the ControllerRevision of the current template; a template that was rolled back to gets the highest number. */
export async function syncHistory(cluster: Cluster, owner: RevisionOwner, metadata: RevisionMetadata): Promise<History> {
  const all = await claim(cluster, 'controllerrevisions', owner, selectorOf(owner.spec?.selector));
  all.sort(byRevision);
  const data = dataOf(owner);
  const next = (all.at(-1)?.revision ?? 0) + 1;
  const found = all.findLast((revision) => isSame(revision.data, data));
  if (found === undefined) {
    const created = await createRevision(cluster, owner, metadata, data, next);
    return { current: created, all: [...all, created] };
  }
  if (found === all.at(-1)) return { current: found, all };
  const renumbered = await cluster.update('controllerrevisions', { ...found, revision: next });
  return { current: renumbered, all: [...all.filter((revision) => revision !== found), renumbered] };
}

function byRevision(a: Revision, b: Revision): number {
  return a.revision - b.revision || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

const maxAttempts = 8;

/** A revision of that name with other data is a hash collision: the next attempt hashes to another name. */
async function createRevision(
  cluster: Cluster,
  owner: RevisionOwner,
  { labels, annotations, hashLabel }: RevisionMetadata,
  data: Record<string, unknown>,
  revision: number,
): Promise<Revision> {
  for (let attempt = 0; ; attempt++) {
    const hash = templateHash(data, (owner.status?.collisionCount ?? 0) + attempt);
    const metadata = {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace ?? '',
      labels: { ...labels, [hashLabel]: hash },
      ...(annotations && { annotations }),
      ownerReferences: [controllerRef(owner)],
    };
    try {
      return await cluster.create('controllerrevisions', { metadata, data, revision });
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof StatusError && error.status.reason === 'AlreadyExists')) throw error;
    }
  }
}

/** Deletes the oldest revisions beyond the limit that are not in use. */
export async function truncateHistory(
  cluster: Cluster,
  { all }: History,
  inUse: ReadonlySet<string | undefined>,
  limit: number,
): Promise<void> {
  const old = all.filter(({ metadata }) => !inUse.has(metadata.name));
  for (const revision of old.slice(0, Math.max(0, old.length - limit))) await cluster.delete('controllerrevisions', revision);
}

/** The template of a revision. */
export function revisionTemplate({ data }: Revision): coreV1.PodTemplateSpec {
  const spec = (data?.spec ?? {}) as { template?: coreV1.PodTemplateSpec & { $patch?: string } };
  const { $patch: _, ...template } = spec.template ?? {};
  return template;
}
