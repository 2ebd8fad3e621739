import type { Effort, FieldErrors, FieldSet, JsonObject, KubeObject, TypeCatalogue } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { User } from '../http/api-request.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { DefaultPropagation, Propagation } from './deletion.ts';
import type { ObjectForm } from './object-form.ts';
import type { ObjectRegistry } from './object-registry.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { ConvertByWebhook } from './webhook-conversions.ts';
import type { WriteContext } from './write-context.ts';

/**
 * A resource is data. Built-in kinds, custom resources and users of the library all produce this; routing, discovery, OpenAPI,
 * validation, tables and RBAC verbs are derived from it.
 */
export interface Resource {
  readonly names: ResourceNames;
  readonly scope: 'Namespaced' | 'Cluster';
  /** The prefix of storage keys, without a trailing slash: /registry/configmaps. */
  readonly storagePrefix: string;
  /** The storage version, one of `versions`. Objects in memory are in this version. */
  readonly hub: ServedVersion;
  /** The version for discovery's storageVersionHash, if not the hub: Kubernetes stores a few kinds in an older one. */
  readonly hashedVersion?: string;
  /** All served versions, in order of preference within their group. */
  readonly versions: readonly ServedVersion[];
  /** The versions in which stored objects may be, if more than the served ones. */
  readonly storedVersions?: readonly ServedVersion[];
  readonly strategy: Strategy;
  /** A missing verb is not served. */
  readonly verbs: Verbs;
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** Cluster-scoped objects created on the first start, complete and in the hub version. */
  readonly initialObjects?: readonly JsonObject[];
  /** Versions, besides `versions`, that managedFields entries may be in. */
  readonly relatedVersions?: readonly ServedVersion[];
  /**
   * Conversions for managedFields are strict: the version must exist and declare every field of the object. Kubernetes does that
   * for custom resources.
   */
  readonly strictOwnership?: boolean;
  /** Converts for managedFields by a webhook. Implies strict conversion. */
  readonly convertByWebhook?: ConvertByWebhook;
  /** Identifies this state of a resource that may change, for cached documents about it. */
  readonly state?: string;
  /** Verbs in discovery's order, if not alphabetical; subresources then keep their order too. */
  readonly announcedVerbs?: readonly string[];
  /** Sorts the rows of a Table list by this rank instead of by name. Takes the hub version. */
  readonly rowRank?: (object: KubeObject) => number;
  /** The cost of processing a value in a write, relative to other kinds; 1 if absent. Decides which writes are offloaded. */
  readonly writeCost?: number;
  /** Writes compile patterns or expressions in the object. */
  readonly compilesTexts?: boolean;
  /** Objects expire this many seconds after their last write. */
  readonly ttlSeconds?: number;
}

export interface ResourceNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group/version in which a resource is served. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly schema: Schema;
  /** Absent for the hub. */
  readonly converter?: Converter;
  /** The group in validation errors, if it differs. */
  readonly errorGroup?: string;
  /** Table columns; Name and Created At if absent. */
  readonly columns?: readonly Column[];
  readonly rowConditions?: (object: KubeObject) => readonly RowCondition[];
  /** The value of each selectable field besides metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** The error for a field that is not selectable, if it differs from that of most kinds. */
  readonly unknownField?: (field: string) => string;
  /** Sent in the Warning header of every response. */
  readonly deprecationWarning?: string;
  /** Kubernetes has removed this version; `--runtime-config=api/legacy` enables it. */
  readonly legacy?: boolean;
}

/** The release named by a deprecation warning, or an empty string. */
export function removedRelease(warning: string): string {
  return /unavailable in v(\d+\.\d+)\+/.exec(warning)?.[1] ?? '';
}

/** The type of an object, by its name in a catalogue. */
export interface Schema {
  readonly catalogue: TypeCatalogue;
  /** io.k8s.api.core.v1.ConfigMap */
  readonly type: string;
  /** io.k8s.api.core.v1.ConfigMapList */
  readonly listType: string;
  /** The schema of custom objects, which have no type. The catalogue then describes only their metadata. */
  readonly form?: ObjectForm;
}

/** Converts between the hub and another version. Round trips are lossless. Arguments are never mutated. */
export interface Converter {
  toHub(object: JsonObject): JsonObject;
  fromHub(object: JsonObject): JsonObject;
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, higher ones only with -o wide. */
  readonly priority?: number;
  /** Cells without a column definition, as Kubernetes has for some kinds. */
  readonly unannounced?: boolean;
  /** Computed from an object in this version. `{ age: time }` renders as the time since, when the table is encoded. */
  readonly value: (object: KubeObject) => CellValue | AgeCell;
}
export type CellValue = string | number | boolean | null;
export interface AgeCell {
  readonly age: string | undefined;
  /** Text around the age: `3 (` and ` ago)`. */
  readonly before?: string;
  readonly after?: string;
}

/** metav1.TableRowCondition: applies to a whole row, such as Completed. */
export interface RowCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
export type VerbHandler = (request: ResourceRequest) => Answer | Promise<Answer>;
export type Verbs = Readonly<Partial<Record<Verb | 'connect', VerbHandler>>>;

export interface Subresource {
  readonly verbs: Verbs;
  /** The kind sent and received, if not the resource's own: Scale, Eviction. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Overrides the resource's strategy in updates through this subresource. */
  readonly strategy?: Partial<Strategy>;
  /** The methods of a connect subresource, in lower case. */
  readonly connectMethods?: readonly string[];
}

/** Validates metadata by itself, or against the old metadata. */
export type MetadataCheck = 'object' | 'update';

/** The behaviour of a kind beyond that of all objects. Objects are in the hub version. */
export interface Strategy {
  /** Applies defaults. Runs on every decoded object. */
  readonly applyDefaults?: (object: KubeObject) => void;
  /** Applies the defaults of a read from the store to an object that is returned without being stored. */
  readonly defaultOnRead?: (object: KubeObject) => void;
  /** Throws if the user may not write the object. Runs after mutating admission; `old` is absent for a create. */
  readonly authorizeWrite?: (
    object: KubeObject,
    old: KubeObject | undefined,
    context: WriteContext,
    objects: ObjectRegistry,
  ) => void | Promise<void>;
  /** Allocates shared resources, such as cluster IPs, before the object is prepared. May change the object. */
  readonly reserve?: (
    object: KubeObject,
    old: KubeObject | undefined,
    objects: ObjectRegistry,
    dryRun: boolean,
  ) => Promise<Reservation>;
  /** Drops fields that clients may not set at creation, and sets those that the server sets. */
  readonly prepareForCreate?: (object: KubeObject, user: User, version: ServedVersion, warn?: (message: string) => void) => void;
  /** Restores from `old` the fields that this update may not change. */
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, version: ServedVersion) => void;
  readonly validateCreate?: (object: KubeObject, errors: FieldErrors, version: ServedVersion, effort?: Effort) => void;
  /** Calls `warn` with violations that ratcheting tolerates. */
  readonly validateUpdate?: (
    object: KubeObject,
    old: KubeObject,
    errors: FieldErrors,
    version: ServedVersion,
    effort?: Effort,
    warn?: (message: string) => void,
  ) => void;
  /** Finalizers must be standard names or qualified by a domain. */
  readonly qualifiedFinalizers?: boolean;
  /** The metadata checks that the kind's update validation repeats after the generic ones; one update check if absent. */
  readonly metadataOnUpdate?: readonly MetadataCheck[] | undefined;
  /** Sent in the Warning header. */
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => readonly string[];
  /** Returns what is wrong with a name; `prefix` if it is a generateName. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[];
  /** Allows updates without a resourceVersion. */
  readonly allowUnconditionalUpdate?: boolean;
  /** An update of a missing object creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** metadata.generation counts changes outside metadata and status. */
  readonly generation?: boolean;
  /** Fields that a write resets, so that no manager owns them by it. By default derived from whether there is a status. */
  readonly resetFields?: FieldSet;
  /** Starts a deletion that may be graceful. May change the object; throws a StatusError to refuse. */
  readonly beginDelete?: (object: KubeObject, options: DeletionRequest) => DeletionPlan;
  /** Deletions have the object's uid as a precondition, which admission sees. */
  readonly uidPrecondition?: boolean;
  /** The propagation of deletions without a policy; dependents are deleted if absent. */
  readonly defaultPropagation?: (version: ServedVersion) => DefaultPropagation;
  /** The warning for deletions that orphan dependents by default. */
  readonly orphanWarning?: string;
  /** A deletion returns the object instead of a Status. */
  readonly returnDeletedObject?: boolean;
  /** Whether an object without finalizers and grace period, being deleted, may be removed now. */
  readonly mayRemove?: (object: KubeObject) => boolean;
  /** Releases the allocations of a removed object. */
  readonly afterRemove?: (object: KubeObject, objects: ObjectRegistry) => Promise<void>;
}

/** Resources allocated for a write. Exactly one of the two is called when the outcome is known. */
export interface Reservation {
  keep(written: CacheEntry): void | Promise<void>;
  giveBack(): void | Promise<void>;
}

export interface DeletionRequest extends Propagation {
  readonly gracePeriodSeconds?: number;
}

/**
 * `now`: removed unless it has finalizers. `graceful`: marked, with this grace period. `marked`: the strategy has changed the
 * object, which is stored. `waiting`: nothing to do, a deletion is in progress.
 */
export type DeletionPlan =
  | { readonly kind: 'now' }
  | { readonly kind: 'graceful'; readonly seconds: number }
  | { readonly kind: 'marked' }
  | { readonly kind: 'waiting' };
