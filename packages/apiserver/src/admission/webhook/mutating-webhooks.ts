import {
  cannotUnmarshal,
  deepCopy,
  deepEqual,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonPatch,
  type KubeObject,
  parseJson,
  StatusError,
  typeMetaMismatch,
} from '@tsukube/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAdmissionConfiguration } from '../matching/rules.ts';
import { replaceObject, type VersionedAttributes } from '../versioned-attributes.ts';
import type { ReviewResult } from './admission-review.ts';
import { callWebhook, failedClosed, throwIfOver, WebhookCallError } from './call-webhook.ts';
import { invocationOf, type WebhookDependencies } from './invocation.ts';
import type { CompiledWebhook } from './webhook.ts';

const name = 'MutatingAdmissionWebhook';

/** Which webhooks are called again if the object changes after them. */
interface ReinvocationState {
  /** Called, with reinvocationPolicy IfNeeded, and no change since then. */
  readonly called: Set<string>;
  /** Must be called again in the second run. */
  readonly again: Set<string>;
  /** The object after the last webhook of the first run. */
  output: KubeObject | undefined;
}

/** MutatingAdmissionWebhook: calls webhooks one after another; each sees the changes of those before it. */
export function mutatingWebhooks(dependencies: WebhookDependencies): AdmissionPlugin {
  const { source } = dependencies;
  return {
    name,
    mutate(attributes) {
      if (isAdmissionConfiguration(attributes)) return;
      const webhooks = source.all();
      if (webhooks instanceof Promise) return webhooks.then((loaded) => mutate(loaded, attributes, dependencies));
      return webhooks.length === 0 ? undefined : mutate(webhooks, attributes, dependencies);
    },
  };
}

function stateOf({ reinvocation }: AdmissionAttributes): ReinvocationState {
  const known = reinvocation.state.get(name) as ReinvocationState | undefined;
  const state = known ?? { called: new Set(), again: new Set(), output: undefined };
  if (!known) reinvocation.state.set(name, state);
  return state;
}

/** Synchronous until the first webhook that matches. */
function mutate(
  webhooks: readonly CompiledWebhook[],
  attributes: AdmissionAttributes,
  dependencies: WebhookDependencies,
  from = 0,
): void | Promise<void> {
  const { isReinvocation } = attributes.reinvocation;
  if (from === 0 && isReinvocation) {
    const state = stateOf(attributes);
    // Built-in plugins have changed the object in their second run.
    if (state.output && !deepEqual(state.output, attributes.object)) requireReinvocation(state);
    if (state.again.size === 0) return;
  }
  for (let i = from; i < webhooks.length; i++) {
    const invocation = invocationOf(webhooks[i] as CompiledWebhook, attributes, dependencies);
    if (invocation) return mutateFrom(webhooks, i, invocation, attributes, dependencies);
  }
}

async function mutateFrom(
  webhooks: readonly CompiledWebhook[],
  at: number,
  matching: VersionedAttributes | Promise<VersionedAttributes | undefined>,
  attributes: AdmissionAttributes,
  dependencies: WebhookDependencies,
): Promise<void> {
  const webhook = webhooks[at] as CompiledWebhook;
  const versioned = await matching;
  if (versioned && mayCall(webhook, attributes)) await invoke(webhook, at, versioned, dependencies);
  await mutate(webhooks, attributes, dependencies, at + 1);
  rememberOutput(attributes);
}

/** A webhook that was not called in the first run is not called in the second, even if it matches now. */
function mayCall({ id }: CompiledWebhook, attributes: AdmissionAttributes): boolean {
  return !attributes.reinvocation.isReinvocation || stateOf(attributes).again.has(id);
}

function requireReinvocation({ called, again }: ReinvocationState): void {
  for (const id of called) again.add(id);
  called.clear();
}

/** Only webhooks that may be called again need the output. */
function rememberOutput(attributes: AdmissionAttributes): void {
  const state = stateOf(attributes);
  if (state.called.size + state.again.size > 0) state.output = attributes.object && deepCopy(attributes.object);
}

async function invoke(
  webhook: CompiledWebhook,
  index: number,
  versioned: VersionedAttributes,
  { metrics }: WebhookDependencies,
): Promise<void> {
  const { attributes } = versioned;
  const { reinvocation, operation } = attributes;
  const position = `round_${reinvocation.isReinvocation ? 1 : 0}_index_${index}`;
  const begun = performance.now();
  const state = stateOf(attributes);
  let isChanged = false;
  let failure: unknown;
  try {
    isChanged = await callAndPatch(webhook, versioned, position);
  } catch (error) {
    failure = error;
  }
  metrics.called(webhook, operation, performance.now() - begun, failure);
  annotateMutation(webhook, attributes, position, isChanged);
  if (isChanged) {
    requireReinvocation(state);
    reinvocation.isRequested = true;
  }
  if (webhook.isReinvocable) state.called.add(webhook.id);
  if (failure !== undefined) continueOrThrow(failure, webhook, attributes, position, metrics);
}

function annotateMutation(
  { configuration, name }: CompiledWebhook,
  attributes: AdmissionAttributes,
  position: string,
  mutated: boolean,
): void {
  const value = JSON.stringify({ configuration, webhook: name, mutated });
  attributes.annotate(`mutation.webhook.admission.k8s.io/${position}`, value);
}

function continueOrThrow(
  failure: unknown,
  webhook: CompiledWebhook,
  attributes: AdmissionAttributes,
  position: string,
  metrics: WebhookDependencies['metrics'],
): void {
  if (!(failure instanceof WebhookCallError)) throw failure;
  if (!webhook.ignoresFailures) throw failedClosed(failure);
  metrics.failedOpen(webhook);
  attributes.annotate(`failed-open.mutation.webhook.admission.k8s.io/${position}`, webhook.name);
  throwIfOver(attributes);
}

/** Returns whether the webhook has changed the object. */
async function callAndPatch(webhook: CompiledWebhook, versioned: VersionedAttributes, position: string): Promise<boolean> {
  const result = await callWebhook(webhook, versioned, true);
  const operations = operationsIn(webhook, result);
  if (operations.length === 0) return false;
  const { object, attributes } = versioned;
  if (!object) {
    const reason = 'attempted to modify the object, which is not supported for this operation';
    throw StatusError.internalError(`admission webhook ${JSON.stringify(webhook.name)} ${reason}`);
  }
  const patched = patchedObject(object, operations, webhook, result);
  const isChanged = !deepEqual(patched, object);
  await replaced(versioned, patched);
  const { configuration, name } = webhook;
  const value = JSON.stringify({ configuration, webhook: name, patch: operations, patchType: 'JSONPatch' });
  attributes.annotate(`patch.webhook.admission.k8s.io/${position}`, value, 'Request');
  return isChanged;
}

function operationsIn(webhook: CompiledWebhook, { patch }: ReviewResult): readonly JsonValue[] {
  if (patch === '') return [];
  try {
    const { value } = parseJson(Buffer.from(patch));
    if (value === null) return [];
    if (!Array.isArray(value)) throw new Error(cannotUnmarshal(value, 'jsonpatch.Patch'));
    const other = value.find((operation) => !isObject(operation) && operation !== null);
    if (other !== undefined) throw new Error(cannotUnmarshal(other, 'jsonpatch.Operation'));
    return value;
  } catch (error) {
    const reason = `received undecodable patch in webhook response: ${(error as Error).message}`;
    throw new WebhookCallError(webhook, reason, 503, { cause: error });
  }
}

function patchedObject(
  object: KubeObject,
  operations: readonly JsonValue[],
  webhook: CompiledWebhook,
  { patchType }: ReviewResult,
): JsonObject {
  if (patchType !== 'JSONPatch') throw new WebhookCallError(webhook, `unsupported patch type ${JSON.stringify(patchType)}`, 500);
  try {
    const patched = jsonPatch(object, [...operations]);
    const misfit = typeMetaMismatch(patched);
    if (misfit === undefined) return patched as JsonObject;
    throw new Error(misfit);
  } catch (error) {
    throw StatusError.internalError(causeOf(error), { cause: error });
  }
}

/** The reason why an operation did not apply, which responses to clients do not carry. */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

async function replaced(versioned: VersionedAttributes, patched: JsonObject): Promise<void> {
  try {
    await replaceObject(versioned, patched);
  } catch (error) {
    throw error instanceof StatusError ? error : StatusError.internalError((error as Error).message, { cause: error });
  }
}
