import {
  type FieldRequirement,
  goQuote,
  type LabelRequirement,
  parseFieldSelector,
  parseLabelSelector,
  StatusError,
} from '@tsukube/machinery';
import type { ApiRequest, User } from '../http/api-request.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { AccessAttributes, SelectedBy } from './authorizer.ts';

const selectable = new Set(['list', 'watch', 'deletecollection']);

/** Attributes of a request. Selectors are parsed lazily, because few authorizers use them. */
export class RequestAccess implements AccessAttributes {
  readonly user: User;
  readonly #request: ApiRequest;
  readonly #info: RequestInfo;

  constructor(request: ApiRequest, user: User = request.user) {
    this.#request = request;
    this.#info = request.info;
    this.user = user;
  }

  get verb(): string {
    return this.#info.verb;
  }
  get isResource(): boolean {
    return this.#info.isResource;
  }
  get group(): string {
    return this.#info.group;
  }
  get version(): string {
    return this.#info.version;
  }
  get resource(): string {
    return this.#info.resource;
  }
  get subresource(): string {
    return this.#info.subresource;
  }
  get namespace(): string {
    return this.#info.namespace;
  }
  get name(): string {
    return this.#info.name;
  }
  get path(): string {
    return this.#request.path;
  }
  get fieldSelector(): SelectedBy<FieldRequirement> | undefined {
    return selectedBy(this.#selector('fieldSelector'), parseFieldSelector);
  }
  get labelSelector(): SelectedBy<LabelRequirement> | undefined {
    return selectedBy(this.#selector('labelSelector'), parseLabelSelector);
  }

  /** Deprecated watch paths may ignore selectors, so selectors do not narrow the access. */
  #selector(parameter: string): string | null {
    const { isResource, verb, verbInPath } = this.#info;
    if (!isResource || verbInPath || !selectable.has(verb)) return null;
    return this.#request.query.get(parameter);
  }
}

/** Undefined without requirements. */
export function selectedBy<Requirement>(
  text: string | null,
  parse: (text: string) => { readonly requirements: readonly Requirement[] },
): SelectedBy<Requirement> | undefined {
  if (!text) return undefined;
  try {
    const { requirements } = parse(text);
    return requirements.length === 0 ? undefined : { requirements };
  } catch (error) {
    return { requirements: [], error: (error as StatusError).message };
  }
}

/** The 403 error with Kubernetes' message. */
export function forbiddenError(access: AccessAttributes, reason: string): StatusError {
  const message = withoutMarkup(refusal(access));
  const resource = access.resource === '' ? undefined : { group: access.group, resource: access.resource };
  return StatusError.forbidden(resource, access.name, reason === '' ? message : `${message}: ${reason}`);
}

function refusal({ user, verb, isResource, path, group, resource, subresource, namespace }: AccessAttributes): string {
  const who = `User ${goQuote(user.name)} cannot ${verb}`;
  if (!isResource) return `${who} path ${goQuote(path)}`;
  const what = goQuote(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${what} in API group ${goQuote(group)} ${where}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes HTML, as kube-apiserver does. */
export function withoutMarkup(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (character) => entities[character] ?? character) : text;
}
