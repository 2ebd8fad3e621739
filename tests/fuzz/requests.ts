import { isObject, type JsonObject } from '@tsukube/machinery';
import { mutateBytes } from '../hostile/fuzz/mutate.ts';
import type { Random } from '../support/random.ts';
import { encodeBody } from './bodies.ts';
import { mutateObject } from './mutate-object.ts';
import { type Patch, randomPatch } from './patches.ts';
import { queryFor } from './queries.ts';
import type { FuzzedResource, Subresource } from './resources.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
  /** For reports: `patch deployments.apps/status`. */
  readonly about: string;
}

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const protobuf = 'application/vnd.kubernetes.protobuf';
const usualAccepts = [
  'application/json',
  'application/json',
  'application/yaml',
  protobuf,
  `${protobuf},application/json`,
  '*/*',
  '',
];
const rareAccepts = [
  ...[
    table,
    `${table},application/json`,
    'application/json;as=Table;g=meta.k8s.io;v=v1beta1',
    `${protobuf};as=Table;g=meta.k8s.io;v=v1`,
  ],
  ...['PartialObjectMetadata', 'PartialObjectMetadataList'].flatMap((as) =>
    ['application/json', protobuf].map((type) => `${type};as=${as};g=meta.k8s.io;v=v1`),
  ),
  ...['application/json;as=Nothing;g=x;v=y', 'application/cbor', 'text/html', 'a/b;q=2'],
];

/** Few names for all objects, so that requests meet objects of earlier requests. */
const names = 6;

/** Generates random requests for all resources. */
export class RequestMaker {
  readonly #resources: readonly FuzzedResource[];
  readonly #everything: readonly JsonObject[];
  readonly #random: Random;

  constructor(resources: readonly FuzzedResource[], random: Random) {
    this.#resources = resources;
    this.#everything = resources.flatMap(({ seeds }) => seeds);
    this.#random = random;
  }

  next(): FuzzRequest {
    const random = this.#random;
    const resource = this.#resources[random(this.#resources.length)] as FuzzedResource;
    const subresource = resource.subresources[random(resource.subresources.length)];
    if (subresource && random(5) === 0) return this.#onSubresource(resource, subresource);
    const choice = random(100);
    if (choice < 30) return this.#create(resource);
    if (choice < 48) return this.#update(resource);
    if (choice < 72) return this.#patch(resource);
    if (choice < 82) return this.#send('get', 'GET', resource, `/${this.#name(resource)}`);
    if (choice < 89) return this.#send('list', 'GET', resource, '');
    if (choice < 90) return this.#send(random(4) === 0 ? 'watch' : 'list', 'GET', resource, '');
    if (choice < 98) return this.#delete(resource, `/${this.#name(resource)}`);
    return this.#deleteCollection(resource);
  }

  #create(resource: FuzzedResource): FuzzRequest {
    return this.#write('create', 'POST', resource, '', this.#object(resource));
  }

  #update(resource: FuzzedResource): FuzzRequest {
    const object = this.#object(resource);
    return this.#write('update', 'PUT', resource, `/${nameOf(object) ?? this.#name(resource)}`, object);
  }

  #patch(resource: FuzzedResource, tail = ''): FuzzRequest {
    const object = this.#object(resource);
    const patch = randomPatch(object, resource.type, this.#everything, this.#random);
    return this.#sendPatch(resource, `/${nameOf(object) ?? this.#name(resource)}${tail}`, patch);
  }

  #delete(resource: FuzzedResource, tail: string): FuzzRequest {
    const random = this.#random;
    const options: JsonObject = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: random(3),
      propagationPolicy: 'Background',
    };
    const body = random(3) === 0 ? mutateObject(options, undefined, this.#everything, random) : undefined;
    return this.#write('delete', 'DELETE', resource, tail, body);
  }

  /** Deletes only objects of the fuzz test: the server needs its own. */
  #deleteCollection(resource: FuzzedResource): FuzzRequest {
    const { path, headers } = this.#send('deletecollection', 'DELETE', resource, '');
    const safe = path.replace(/\?.*/, '');
    return {
      method: 'DELETE',
      path: `${safe}?labelSelector=fuzz%3Dyes${this.#random(2) === 0 ? '&limit=2' : ''}`,
      headers,
      body: undefined,
      about: this.#about('deletecollection', resource, ''),
    };
  }

  #onSubresource(resource: FuzzedResource, { name, groupVersion, kind, verbs }: Subresource): FuzzRequest {
    const tail = `/${this.#name(resource)}/${name}`;
    const verb = verbs[this.#random(verbs.length)];
    const ownKind: JsonObject = {
      apiVersion: groupVersion,
      kind,
      metadata: { name: this.#name(resource) },
      spec: {},
      status: {},
    };
    const seed =
      kind === resource.kind ? this.#object(resource) : mutateObject(ownKind, undefined, this.#everything, this.#random);
    if (verb === 'get') return this.#send('get', 'GET', resource, tail);
    if (verb === 'patch') return this.#patch(resource, `/${name}`);
    return this.#write(`${verb}`, verb === 'create' ? 'POST' : 'PUT', resource, tail, seed);
  }

  /** A seed object, mostly mutated, mostly with one of the names. */
  #object(resource: FuzzedResource): JsonObject {
    const { seeds, type } = resource;
    const random = this.#random;
    const seed = seeds[random(seeds.length)] as JsonObject;
    const fresh = { ...seed, metadata: freshMetadata(seed, this.#name(resource), random) } as JsonObject;
    fitToName(fresh);
    return random(3) === 0 ? fresh : mutateObject(fresh, type, this.#everything, random);
  }

  #name({ kind }: FuzzedResource): string {
    const n = this.#random(names);
    if (kind === 'APIService') return `v1.f${n}.example.com`;
    if (kind === 'CustomResourceDefinition') return `fs${n}.garden.example.com`;
    if (kind === 'IPAddress') return `10.0.9.${n}`;
    return `f${n}`;
  }

  #write(verb: string, method: string, resource: FuzzedResource, tail: string, object: JsonObject | undefined): FuzzRequest {
    const request = this.#send(verb, method, resource, tail);
    if (!object) return request;
    const { type, body } = encodeBody(object, this.#random);
    return { ...request, headers: { ...request.headers, 'content-type': type }, body: this.#spoiled(body) };
  }

  #sendPatch(resource: FuzzedResource, tail: string, { type, body }: Patch): FuzzRequest {
    const request = this.#send(type.includes('apply') ? 'apply' : 'patch', 'PATCH', resource, tail);
    return { ...request, headers: { ...request.headers, 'content-type': type }, body: this.#spoiled(body) };
  }

  #send(verb: string, method: string, resource: FuzzedResource, tail: string): FuzzRequest {
    const random = this.#random;
    const accepts = random(method === 'GET' ? 3 : 12) === 0 ? rareAccepts : usualAccepts;
    const accept = accepts[random(accepts.length)] as string;
    const headers: Record<string, string> = accept === '' ? {} : { accept };
    if (random(4) === 0) headers['accept-encoding'] = 'gzip';
    const path = `${resource.path}${encodeURI(Buffer.from(tail).toString())}${queryFor(verb, random)}`;
    return { method, path, headers, body: undefined, about: this.#about(verb, resource, tail) };
  }

  /** Sometimes corrupts a few bytes. */
  #spoiled(body: Buffer): Buffer {
    return this.#random(15) === 0 && body.length > 0 ? mutateBytes(body, this.#random, body) : body;
  }

  #about(verb: string, { plural, groupVersion }: FuzzedResource, tail: string): string {
    const subresource = tail.split('/')[2];
    return `${verb} ${plural}.${groupVersion}${subresource ? `/${subresource}` : ''}`;
  }
}

function freshMetadata(seed: JsonObject, name: string, random: Random): JsonObject {
  const {
    resourceVersion: _,
    uid: __,
    creationTimestamp: ___,
    managedFields: ____,
    selfLink: _____,
    ...metadata
  } = seed.metadata as JsonObject;
  const labels = { ...(isObject(metadata.labels) ? metadata.labels : {}), fuzz: 'yes' };
  return random(20) === 0 ? { ...metadata, labels, name: '', generateName: 'f-' } : { ...metadata, labels, name };
}

/** Some kinds repeat their name in the spec. */
function fitToName(object: JsonObject): void {
  const name = nameOf(object);
  const spec = object.spec;
  if (name === undefined || !isObject(spec)) return;
  const [first = '', ...rest] = name.split('.');
  if (object.kind === 'APIService') object.spec = { ...spec, version: first, group: rest.join('.') };
  if (object.kind === 'CustomResourceDefinition') object.spec = { ...spec, names: namesOf(spec, first) };
}

function namesOf(spec: JsonObject, plural: string): JsonObject {
  const kind = plural.toUpperCase();
  return { ...(isObject(spec.names) ? spec.names : {}), plural, singular: `${plural}x`, kind, listKind: `${kind}List` };
}

function nameOf({ metadata }: JsonObject): string | undefined {
  return isObject(metadata) && typeof metadata.name === 'string' && metadata.name !== '' ? metadata.name : undefined;
}
