import type { Effort, FieldErrors, FieldSet, JsonObject, TypeCatalogue } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { User } from '../http/api-request.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import type { DefaultPropagation, Propagation } from './deletion.ts';
import type { ObjectForm } from './object-form.ts';
import type { ObjectRegistry, WriteContext } from './object-registry.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { ConvertByWebhook } from './webhook-conversions.ts';

/**
 * A resource is data. Built-in kinds, custom resources and users of the library all produce this, and routing,
 * discovery, OpenAPI, validation, tables and RBAC verbs are read from it.
 */
export interface Resource {
  readonly names: ResourceNames;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Where objects live in the store, without a trailing slash: /registry/configmaps. */
  readonly storagePrefix: string;
  /** The stored version; one of `versions`. Objects in memory have this form. */
  readonly hub: ServedVersion;
  /** The version whose hash discovery shows, where it is not the hub's: Kubernetes stores a few kinds in an older one. */
  readonly hashedVersion?: string;
  /** All versions that are served, in order of preference within their group. */
  readonly versions: readonly ServedVersion[];
  /** In which objects may have been stored, where that is more than is served. */
  readonly storedVersions?: readonly ServedVersion[];
  readonly strategy: Strategy;
  /** What is served, and by whom. A verb that is missing is not served. */
  readonly verbs: Verbs;
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** Objects outside namespaces that exist from the first start, complete and in the hub version. */
  readonly initialObjects?: readonly JsonObject[];
  /** Other versions in which somebody may own fields, besides those in `versions`. */
  readonly relatedVersions?: readonly ServedVersion[];
  /**
   * Kubernetes converts custom objects strictly to the versions in which somebody owns fields: the version must exist and
   * declare every field of the object.
   */
  readonly strictOwnership?: boolean;
  /** Converts to the versions in which somebody owns fields, where a webhook does that. Ownership is then strict. */
  readonly convertByWebhook?: ConvertByWebhook;
  /** Tells this state of a resource that may change from others, for documents about it. */
  readonly state?: string;
  /** The verbs in the order in which discovery tells them, where that is not the alphabet's; subresources are then as they come. */
  readonly announcedVerbs?: readonly string[];
  /** Sorts the rows of a Table list, lowest first, where that is not by name. Takes the hub version. */
  readonly rowRank?: (object: JsonObject) => number;
  /** How long a value takes to process in a write, relative to other kinds; 1 if absent. Heavy writes leave the event loop. */
  readonly writeCost?: number;
  /** Texts of objects are compiled when they are written: patterns, expressions. */
  readonly compilesTexts?: boolean;
  /** Objects remove themselves this many seconds after they were last written. */
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

/** One group/version in which a resource is served. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly schema: Schema;
  /** Absent for the hub. */
  readonly converter?: Converter;
  /** The group that validation errors name, where it is another one. */
  readonly errorGroup?: string;
  /** Table columns; absent for Name and Created At. */
  readonly columns?: readonly Column[];
  /** What is said of a row besides its cells. */
  readonly rowConditions?: (object: JsonObject) => readonly RowCondition[];
  /** The value of each field a field selector may name besides metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>>;
  /** What is said of a field that is not selectable, where it is not what most kinds say. */
  readonly unknownField?: (field: string) => string;
  /** Sent as a warning with every answer. */
  readonly deprecationWarning?: string;
  /** Kubernetes has removed it: what `--runtime-config=api/legacy` speaks of. */
  readonly legacy?: boolean;
}

/** The release that a deprecation warning names, or an empty text. */
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
  /** Where objects have a schema instead of a type. The catalogue then has what is known of all objects: their metadata. */
  readonly form?: ObjectForm;
}

/** Between the hub and another version. Round trips lose nothing. Neither side is mutated. */
export interface Converter {
  toHub(object: JsonObject): JsonObject;
  fromHub(object: JsonObject): JsonObject;
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, more only with -o wide. */
  readonly priority?: number;
  /** Its cells are there, but nothing tells what they are: so Kubernetes shows some kinds. */
  readonly unannounced?: boolean;
  /** From an object in this version. `{ age: time }` is rendered as the time since then, when the table is made. */
  readonly value: (object: JsonObject) => CellValue | AgeCell;
}
export type CellValue = string | number | boolean | null;
export interface AgeCell {
  readonly age: string | undefined;
  /** What stands around the age: `3 (` and ` ago)`. */
  readonly before?: string;
  readonly after?: string;
}

/** Something that is true of a whole row, such as that its object has completed. */
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
  /** The kind that is sent and received, where it is not the resource's own: Scale, Eviction. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  /** How an update through this subresource differs from one of the object itself. */
  readonly strategy?: Partial<Strategy>;
  /** The methods a connect subresource answers to, in lower case. */
  readonly connectMethods?: readonly string[];
}

/** Metadata checked as that of any object, or against the former metadata. */
export type MetadataCheck = 'object' | 'update';

/** What a kind does to its objects beyond what all objects have in common. Objects are in the hub version. */
export interface Strategy {
  /** Fills in what the client left out. Runs on every object that is decoded. */
  readonly applyDefaults?: (object: JsonObject) => void;
  /** Fills in what reading an object from the store fills in, for an object that is answered without being stored. */
  readonly defaultOnRead?: (object: JsonObject) => void;
  /** Refuses, by throwing, what this user may not write. Sees what admission has made of it; `old` is absent for a creation. */
  readonly authorizeWrite?: (
    object: JsonObject,
    old: JsonObject | undefined,
    context: WriteContext,
    objects: ObjectRegistry,
  ) => void | Promise<void>;
  /** Takes what an object shares with others of its kind, such as addresses. Runs before it is prepared; may change it. */
  readonly reserve?: (
    object: JsonObject,
    old: JsonObject | undefined,
    objects: ObjectRegistry,
    dryRun: boolean,
  ) => Promise<Reservation>;
  /** Drops what a client may not set at creation and sets what the server sets. */
  readonly prepareForCreate?: (object: JsonObject, user: User, version: ServedVersion) => void;
  /** Carries over from `old` what this update may not touch; says how the generation moves by comparing. */
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject, version: ServedVersion) => void;
  readonly validateCreate?: (object: JsonObject, errors: FieldErrors, version: ServedVersion, effort?: Effort) => void;
  /** Calls `warn` with violations that ratcheting tolerates. */
  readonly validateUpdate?: (
    object: JsonObject,
    old: JsonObject,
    errors: FieldErrors,
    version: ServedVersion,
    effort?: Effort,
    warn?: (message: string) => void,
  ) => void;
  /** Whether finalizers must be standard names or qualified by a domain. */
  readonly qualifiedFinalizers?: boolean;
  /** The checks of metadata that the kind's validation of an update makes on top of the generic ones; one update check if absent. */
  readonly metadataOnUpdate?: readonly MetadataCheck[] | undefined;
  /** Shown as Warning headers. */
  readonly warnings?: (object: JsonObject, old: JsonObject | undefined) => readonly string[];
  /** Messages of what is wrong with a name; `prefix` if more characters will follow (generateName). */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[];
  /** An update without a resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate?: boolean;
  /** An update of an object that does not exist creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** Whether metadata.generation counts changes outside metadata and status. */
  readonly generation?: boolean;
  /** What a write cannot change, and nobody therefore owns by it. Without it, that follows from whether there is a status. */
  readonly resetFields?: FieldSet;
  /** How a deletion begins, where it is not at once. May change the object; a StatusError refuses. */
  readonly beginDelete?: (object: JsonObject, options: DeletionRequest) => DeletionPlan;
  /** What becomes of the objects that belong to one that is deleted, if nobody says; without it, they are deleted too. */
  readonly defaultPropagation?: (version: ServedVersion) => DefaultPropagation;
  /** What to warn of where nobody says and they therefore stay. */
  readonly orphanWarning?: string;
  /** A deletion answers with the object instead of a Status. */
  readonly returnDeletedObject?: boolean;
  /** Whether an object that is being deleted may go now, given that it has no finalizers and no grace left. */
  readonly mayRemove?: (object: JsonObject) => boolean;
  /** Gives back what an object had reserved, now that it is gone. */
  readonly afterRemove?: (object: JsonObject, objects: ObjectRegistry) => Promise<void>;
}

/** What was taken for a write. One of the two is called once it is known what became of it. */
export interface Reservation {
  keep(written: CacheEntry): void | Promise<void>;
  giveBack(): void | Promise<void>;
}

export interface DeletionRequest extends Propagation {
  readonly gracePeriodSeconds?: number;
}

/**
 * `now`: gone at once if no finalizer holds it. `graceful`: marked first, with this many seconds of grace. `marked`: the
 * strategy has changed the object, which is to be stored. `waiting`: nothing to do, deletion is under way.
 */
export type DeletionPlan =
  | { readonly kind: 'now' }
  | { readonly kind: 'graceful'; readonly seconds: number }
  | { readonly kind: 'marked' }
  | { readonly kind: 'waiting' };
