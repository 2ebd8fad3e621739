import { createHash } from 'node:crypto';
import {
  get,
  patch,
  type Resource,
  type ServedVersion,
  type Strategy,
  type Subresource,
  scaleSubresource,
  statusSubresource,
  storedVerbs,
  update,
  type VerbHandler,
} from '@tsukube/apiserver';
import { customStrategy, type ScalePaths, scalableBy, scaleColumns, scaleSchema, statusStrategy } from '@tsukube/crds';
import { type Effort, type FieldErrors, type KubeObject, nameIsDNSSubdomain } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import type { FieldsOf, ObjectOfSchema, ResourceSchema } from '../schema/schema-types.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { onStorage, storageVerbs } from '../storage/storage-verbs.ts';
import { type SubresourceHandlers, subresourcesOf } from '../subresource/subresource.ts';
import type { TableColumn } from './columns.ts';
import { checkGroupVersion, type NameOptions, resourceNames } from './names.ts';
import { type CompiledVersion, compiledVersion, converterOf, type FieldConversion } from './served-versions.ts';
import { type ResourceStrategy, strategyOf } from './strategy.ts';

/** A version besides the stored one. The conversions get copies and return the fields besides metadata. */
export interface OtherVersion<Hub, S> {
  readonly schema: S;
  toHub(object: ObjectOfSchema<S>): FieldsOf<Hub>;
  fromHub(object: ObjectOfSchema<Hub>): FieldsOf<S>;
  readonly columns?: readonly TableColumn<ObjectOfSchema<S>>[];
  readonly selectableFields?: readonly string[];
  /** Clients are warned, with this text if it is one. */
  readonly deprecated?: boolean | string;
}

export interface ResourceOptions<S extends ResourceSchema, Versions extends Record<string, ResourceSchema>> extends NameOptions {
  /** A domain name: `example.com`. */
  readonly group: string;
  /** The stored version: `v1`. */
  readonly version: string;
  /** The fields besides apiVersion, kind and metadata. */
  readonly schema: S;
  /** `Namespaced` by default. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly strategy?: ResourceStrategy<ObjectOfSchema<S>>;
  /** Columns of `kubectl get` between Name and Age. */
  readonly columns?: readonly TableColumn<ObjectOfSchema<S>>[];
  /** False if `kubectl get` shows no age: objects that are computed have none. */
  readonly age?: boolean;
  /** JSON paths that field selectors may name: `.spec.node`. */
  readonly selectableFields?: readonly string[];
  /** The field `status` is written through the subresource `status` only. */
  readonly status?: boolean;
  /** Serves `kubectl scale`. */
  readonly scale?: ScalePaths;
  readonly subresources?: Readonly<Record<string, SubresourceHandlers<ObjectOfSchema<S>>>>;
  /** Other versions by their names. */
  readonly versions?: { readonly [Name in keyof Versions]: OtherVersion<S, Versions[Name]> };
  /** The author's own storage, instead of a store. */
  readonly storage?: ObjectStorage<FieldsOf<S>>;
  /** The store of the objects, if not that of the server. The caller closes it. */
  readonly store?: Store;
}

/** A resource for `serve`, or for the main server. */
export interface DefinedResource<T = unknown> extends Resource {
  /** The store of the objects, if not that of the server. */
  readonly store?: Store;
  /** Not set: carries the type of the objects, for `ResourceObject`. */
  readonly objectType?: T;
}

/** The type of the objects of a resource: `type Machine = ResourceObject<typeof machines>`. */
export type ResourceObject<R> = R extends DefinedResource<infer T> ? T : never;

/** Describes a resource. Everything else is derived. Throws SchemaError or TypeError if the description is wrong. */
export function defineResource<
  const S extends ResourceSchema,
  const Versions extends Record<string, ResourceSchema> = Record<never, never>,
>(options: ResourceOptions<S, Versions>): DefinedResource<ObjectOfSchema<S>> {
  const { group, version, scope = 'Namespaced', subresources = {}, storage } = options;
  checkGroupVersion(group, version);
  const names = resourceNames(options);
  const parts = { group, names, hasStatus: options.status === true, age: options.age };
  const hub = compiledVersion({
    ...parts,
    version,
    schema: options.schema,
    columns: options.columns,
    selectableFields: options.selectableFields ?? [],
    deprecated: undefined,
  });
  const others = Object.entries((options.versions ?? {}) as Record<string, OtherVersion<S, ResourceSchema>>).map(
    ([name, other]): CompiledVersion => {
      checkGroupVersion(group, name);
      const { schema, columns, selectableFields = options.selectableFields ?? [], deprecated } = other;
      const spoke = compiledVersion({ ...parts, version: name, schema, columns, selectableFields, deprecated });
      const converter = converterOf(other as unknown as FieldConversion, spoke.served, hub);
      return { ...spoke, served: { ...spoke.served, converter } };
    },
  );
  const own = storage as unknown as ObjectStorage | undefined;
  if (own && options.store) throw new TypeError(`${names.kind} has a storage and a store`);
  const onObjects = (handler: VerbHandler): VerbHandler => (own ? onStorage(own, handler) : handler);
  const rules = { ...options, plural: names.plural, hub, others };
  const basic = basicStrategies(rules);
  return {
    names,
    scope,
    storagePrefix: own ? '' : `/registry/${group}/${names.plural}`,
    hub: hub.served,
    versions: [hub, ...others].map(({ served }) => served),
    state: stateOf([hub, ...others]),
    strategy: strategyOf(options.strategy ?? {}, basic.main),
    verbs: own ? storageVerbs(own) : storedVerbs,
    subresources: {
      ...(options.status && { status: onOwnObjects(statusOf(basic.status), onObjects) }),
      ...(options.scale && { scale: onOwnObjects(scaleOf(options.scale), onObjects) }),
      ...subresourcesOf(subresources, onObjects),
    },
    ...(options.store && { store: options.store }),
  };
}

interface Rules {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  readonly hub: CompiledVersion;
  readonly others: readonly CompiledVersion[];
  readonly status?: boolean;
  readonly scale?: ScalePaths;
}

/** The behaviour that follows from the schemas: validation, generation, and a status that only its subresource changes. */
function basicStrategies(rules: Rules): { readonly main: Strategy; readonly status: Partial<Strategy> } {
  const { compiled } = rules.hub;
  if (!compiled) return builtinStrategies(rules.status === true);
  const custom = {
    kind: rules.kind,
    names: { group: rules.group, resource: rules.plural },
    isTerminating: () => false,
    schema: () => compiled,
    defined: {
      name: rules.hub.served.version,
      served: true,
      storage: true,
      deprecated: false,
      deprecationWarning: undefined,
      hasStatus: rules.status === true,
      defaultsStatus: false,
      scale: rules.scale,
      columns: [],
      selectableFields: [],
    },
  };
  const main = customStrategy(custom);
  /** A request in another version is validated by the schema of that version, too. */
  const validateSpoke = (
    object: KubeObject,
    old: KubeObject | undefined,
    version: ServedVersion,
    errors: FieldErrors,
    effort: Effort | undefined,
  ) => {
    const schema = rules.others.find(({ served }) => served === version)?.compiled;
    if (!schema || errors.length > 0) return;
    const converted = (hubObject: KubeObject) => version.converter?.fromHub(hubObject) ?? hubObject;
    schema.validateValues(converted(object), old && converted(old), errors, effort);
    schema.validateRules(converted(object), old && converted(old), errors, 'object', effort);
  };
  return {
    main: {
      validateName: nameIsDNSSubdomain,
      ...main,
      validateCreate(object, errors, version, effort) {
        main.validateCreate?.(object, errors, rules.hub.served, effort);
        validateSpoke(object, undefined, version, errors, effort);
      },
      validateUpdate(object, old, errors, version, effort, warn) {
        main.validateUpdate?.(object, old, errors, rules.hub.served, effort, warn);
        validateSpoke(object, old, version, errors, effort);
      },
    },
    status: statusStrategy(custom),
  };
}

/** Objects of a built-in type are decoded by their type, which is the only validation. */
function builtinStrategies(hasStatus: boolean): { readonly main: Strategy; readonly status: Partial<Strategy> } {
  const main: Strategy = {
    validateName: nameIsDNSSubdomain,
    allowUnconditionalUpdate: false,
    generation: true,
    prepareForCreate(object) {
      if (hasStatus) delete object.status;
    },
    prepareForUpdate(object, old) {
      if (!hasStatus) return;
      if (old.status === undefined) delete object.status;
      else object.status = old.status;
    },
  };
  return { main, status: statusSubresource(undefined).strategy ?? {} };
}

function statusOf(strategy: Partial<Strategy>): Subresource {
  return { verbs: { get, update, patch }, strategy };
}

function scaleOf(paths: ScalePaths): Subresource {
  return scaleSubresource(scalableBy(paths), scaleSchema, scaleColumns());
}

/** The same subresource on the objects of an own storage. */
function onOwnObjects(subresource: Subresource, onObjects: (handler: VerbHandler) => VerbHandler): Subresource {
  const verbs = Object.fromEntries(
    Object.entries(subresource.verbs).map(([verb, handler]) => [verb, onObjects(handler as VerbHandler)]),
  );
  return { ...subresource, verbs };
}

/** Clients cache OpenAPI documents by a hash of this. */
function stateOf(versions: readonly CompiledVersion[]): string {
  const hash = createHash('sha256');
  for (const { source, served } of versions) hash.update(JSON.stringify([served.version, source ?? served.schema.type]));
  return hash.digest('hex');
}
