import type { BuiltinResources, metaV1 } from '@tsukube/api/kinds';
import type { AdmissionOperation } from '@tsukube/apiserver';
import type { KubeObject } from '@tsukube/machinery';
import type { WebhookRequest } from './webhook-request.ts';

/**
 * Types of resources by group, version and name. Add the types of custom resources by declaration merging:
 *
 *     declare module '@tsukube/sdk' {
 *       interface Resources { 'example.com/v1/widgets': Widget }
 *     }
 */
export interface Resources extends BuiltinResources {}

type OneOrMore<T> = T | readonly T[];

/** The requests a webhook is called for, and its settings. Absent settings have the defaults of Kubernetes. */
export interface WebhookMatch {
  /** Distinguishes webhooks, in messages and paths. By default the resource: `pods`, `pods-eviction`. */
  readonly name?: string;
  /** Empty, the default, for the core group. `*` matches all. */
  readonly group?: OneOrMore<string>;
  /** `v1` by default. `*` matches all. */
  readonly version?: OneOrMore<string>;
  /** Plural name: `pods`. `*` matches all. */
  readonly resource: OneOrMore<string>;
  /** `status`, `eviction`, …; without it the resource itself. `*` matches all. */
  readonly subresource?: string;
  readonly operations: readonly (AdmissionOperation | '*')[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
  readonly namespaceSelector?: metaV1.LabelSelector;
  readonly objectSelector?: metaV1.LabelSelector;
  /** CEL expressions that must all be true. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  /** Whether requests are admitted if this webhook cannot be called. `Fail` by default. */
  readonly failurePolicy?: 'Ignore' | 'Fail';
  /** `None` by default: such webhooks are called for dry runs, too. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** 1 to 30, 10 by default. */
  readonly timeoutSeconds?: number;
}

export interface MutatingMatch extends WebhookMatch {
  /** Whether to call the webhook again if later ones change the object. `Never` by default. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

type Each<T> = T extends readonly (infer Element)[] ? Element : T;
type Or<T, Default> = unknown extends T ? Default : Exclude<T, undefined> extends never ? Default : Exclude<T, undefined>;
type Field<M, Key extends string> = M extends { readonly [key in Key]: infer Value } ? Value : unknown;
type Prefixed<Group, Version extends string> = Group extends '' ? Version : Group extends string ? `${Group}/${Version}` : never;
type GroupVersion<M> = Prefixed<Each<Or<Field<M, 'group'>, ''>>, Extract<Each<Or<Field<M, 'version'>, 'v1'>>, string>>;
type Path<M> =
  Field<M, 'subresource'> extends infer Sub extends string
    ? `${Extract<Each<Field<M, 'resource'>>, string>}/${Sub}`
    : Extract<Each<Field<M, 'resource'>>, string>;
type TypeAt<Key> = Key extends keyof Resources ? Resources[Key] : KubeObject;

/** The type of the objects that a match selects; KubeObject for resources that are not in `Resources`. */
export type ObjectOf<M extends WebhookMatch> = TypeAt<`${GroupVersion<M>}/${Path<M>}`>;

/** Objects are undefined for DELETE. */
type MaybeDeleted<M extends WebhookMatch, T> = Extract<M['operations'][number], 'DELETE' | '*'> extends never ? T : T | undefined;

// biome-ignore lint/suspicious/noConfusingVoidType: functions without a return statement are handlers, too.
type Result<T> = T | undefined | void | Promise<T | undefined | void>;

/** Changes `object` in place or returns a new one. */
export type MutatingHandler<T, Changed = T> = (request: WebhookRequest<T, Changed | undefined>) => Result<Changed>;

/** Calls `deny`, or returns to admit the request. */
export type ValidatingHandler<T, Old = T> = (request: WebhookRequest<T, Old | undefined>) => unknown;

/** A webhook: its match and its handler. */
export interface AdmissionWebhook {
  readonly type: 'mutating' | 'validating';
  readonly match: MutatingMatch;
  readonly handle: (request: WebhookRequest<unknown>) => unknown;
}

/** A webhook that may change objects. The type of the object follows from the match, or is given: `mutate<Widget>(…)`. */
export function mutate<const M extends MutatingMatch>(
  match: M,
  handle: MutatingHandler<MaybeDeleted<M, ObjectOf<M>>, ObjectOf<M>>,
): AdmissionWebhook;
export function mutate<T extends object>(match: MutatingMatch, handle: MutatingHandler<T>): AdmissionWebhook;
export function mutate(match: MutatingMatch, handle: (request: never) => unknown): AdmissionWebhook {
  return { type: 'mutating', match, handle: handle as AdmissionWebhook['handle'] };
}

/** A webhook that admits or refuses requests. The type of the object follows from the match, or is given. */
export function validate<const M extends WebhookMatch>(
  match: M,
  handle: ValidatingHandler<MaybeDeleted<M, ObjectOf<M>>, ObjectOf<M>>,
): AdmissionWebhook;
export function validate<T extends object>(match: WebhookMatch, handle: ValidatingHandler<T>): AdmissionWebhook;
export function validate(match: WebhookMatch, handle: (request: never) => unknown): AdmissionWebhook {
  return { type: 'validating', match, handle: handle as AdmissionWebhook['handle'] };
}
