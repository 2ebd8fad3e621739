import { setTimeout as pause } from 'node:timers/promises';
import { Tokens } from './tokens.mjs';

/** @typedef {import('./kube-client.mjs').KubeClient} KubeClient */

/**
 * One request, or an instruction to the replayer: `watch` opens a watch under a name, `collect` reads events from it, `close`
 * ends it, `sleep` waits, `until` polls for a state. `save` keeps fields of the answer as variables for later steps, which
 * refer to them as ${name}; `ignore`, `ignoreBody` and `pick` choose which fields of the answer are compared.
 * @typedef {object} Step
 * @property {string} [method]
 * @property {string} [path]
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body]
 * @property {Record<string, string>} [save]  variable to path in the body
 * @property {readonly string[]} [ignore]
 * @property {boolean} [ignoreBody]
 * @property {readonly string[]} [pick]
 * @property {string} [watch]
 * @property {string} [collect]
 * @property {number} [count]
 * @property {number} [timeout]
 * @property {string} [close]
 * @property {number} [sleep]
 * @property {{ path: string, status?: number, json?: string, equals?: unknown, timeout?: number }} [until]
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {Record<string, unknown>} [vars]  `ns` is a namespace that is created first
 * @property {readonly Step[]} steps
 */

/**
 * Runs all steps and returns their responses, with tokens in place of values that differ between runs.
 * @param {KubeClient} client
 * @param {Scenario} scenario
 */
export async function runScenario(client, { vars = {}, steps }) {
  const run = { client, vars: { ...vars }, tokens: new Tokens(), watches: /** @type {Map<string, EventReader>} */ (new Map()) };
  const createsNamespace = JSON.stringify(steps[0]).includes('"Namespace"');
  if (typeof vars.ns === 'string' && !createsNamespace) await ensureNamespace(client, vars.ns);
  const answers = [];
  try {
    for (const step of steps) answers.push(await runStep(run, substituted(step, run.vars)));
  } finally {
    for (const watch of run.watches.values()) watch.close();
  }
  return answers;
}

/**
 * Objects of built-in kinds get their own namespace with its default service account. @param {KubeClient} client @param
 * {string} name
 */
async function ensureNamespace(client, name) {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await client.send({ method: 'POST', path: '/api/v1/namespaces', body });
  await poll(client, { path: `/api/v1/namespaces/${name}/serviceaccounts/default`, status: 200, timeout: 3000 });
}

/**
 * @param {{ client: KubeClient, vars: Record<string, unknown>, tokens: Tokens, watches: Map<string, EventReader> }} run
 * @param {Step} step
 * @returns {Promise<unknown>}
 */
async function runStep({ client, vars, tokens, watches }, step) {
  if (step.sleep) return pause(step.sleep, null);
  if (step.until) return { met: await poll(client, step.until) };
  if (step.watch) {
    const watch = new EventReader(await client.stream(/** @type {string} */ (step.path), step.headers));
    watches.set(step.watch, watch);
    return { status: watch.status };
  }
  if (step.collect) return { events: tokens.scrub(await watches.get(step.collect)?.take(step.count ?? 1, step.timeout)) };
  if (step.close) return watches.get(step.close)?.close() ?? null;
  const answer = await client.send({ ...step, path: /** @type {string} */ (step.path) });
  for (const [name, path] of Object.entries(step.save ?? {})) vars[name] = fieldAt(answer.body, path);
  return compared(step, answer, tokens);
}

/** @param {Step} step @param {import('./kube-client.mjs').Answer} answer @param {Tokens} tokens */
function compared({ ignoreBody, ignore = [], pick }, answer, tokens) {
  if (ignoreBody) delete answer.body;
  for (const path of ignore) removeField(answer.body, path.split('.'));
  if (pick) answer.body = Object.fromEntries(pick.map((path) => [path, fieldAt(answer.body, path)]));
  // As in a recording: without undefined members.
  return JSON.parse(JSON.stringify(tokens.scrub(answer)));
}

/** @param {KubeClient} client @param {NonNullable<Step['until']>} state */
async function poll(client, { path, status, json = '', equals, timeout = 15_000 }) {
  for (const end = Date.now() + timeout; Date.now() < end; await pause(100)) {
    const answer = await client.send({ path });
    if (status ? answer.status === status : JSON.stringify(fieldAt(answer.body, json)) === JSON.stringify(equals)) return true;
  }
  return false;
}

/** @param {Step} step @param {Record<string, unknown>} vars @returns {Step} */
function substituted(step, vars) {
  const text = JSON.stringify(step).replace(/\$\{(\w+)\}/g, (reference, name) =>
    name in vars ? String(vars[name]).replace(/["\\]/g, '\\$&') : reference,
  );
  return JSON.parse(text);
}

/** @param {any} body @param {string} path */
function fieldAt(body, path) {
  return path.split('.').reduce((value, key) => value?.[key], body);
}

/** @param {any} value @param {readonly string[]} path  `*` stands for every member */
function removeField(value, [head = '', ...rest]) {
  if (value === null || value === undefined) return;
  if (head === '*') for (const member of Object.values(value)) removeField(member, rest);
  else if (rest.length === 0) delete value[head];
  else removeField(value[head], rest);
}

/** Collects the events of a watch. */
class EventReader {
  /** @type {unknown[]} */
  #events = [];
  #isClosed = false;
  #wake = () => {};

  /** @param {import('node:http').IncomingMessage} response */
  constructor(response) {
    this.response = response;
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line) this.#events.push(JSON.parse(line));
      this.#wake();
    });
    response
      .on('error', () => {})
      .on('close', () => {
        this.#isClosed = true;
        this.#wake();
      });
  }

  get status() {
    return this.response.statusCode;
  }

  /** Returns `count` events, or those received before the timeout. @param {number} count @param {number} [timeout] */
  async take(count, timeout = 5000) {
    const end = Date.now() + timeout;
    while (this.#events.length < count && !this.#isClosed && Date.now() < end) {
      const woken = new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
      await Promise.race([woken, pause(Math.max(1, end - Date.now()), undefined, { ref: false })]);
    }
    return this.#events.splice(0, count);
  }

  close() {
    this.response.destroy();
    return null;
  }
}
