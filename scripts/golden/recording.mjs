import { readFileSync } from 'node:fs';
import { differences } from './differences.mjs';
import { kubeClient } from './kube-client.mjs';
import { runScenario } from './scenario.mjs';

/**
 * @typedef {object} Recording
 * @property {string} name
 * @property {Record<string, unknown>} [vars]
 * @property {readonly { request: import('./scenario.mjs').Step, answer: unknown }[]} steps
 */

/**
 * A step whose response differs from the recording. Step -1 is the whole scenario, if it could not be run.
 * @typedef {object} Failure
 * @property {number} step
 * @property {string} request
 * @property {readonly string[]} diffs
 */

/**
 * @param {string} file
 * @returns {Recording}
 */
export function readRecording(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Sends the requests of a recording to the server of a kubeconfig and compares the answers.
 * @param {Recording} recording
 * @param {string} kubeconfig  its text
 * @returns {Promise<Failure[]>}
 */
export async function replay(recording, kubeconfig) {
  const client = kubeClient(kubeconfig);
  try {
    const answers = await runScenario(client, { ...recording, steps: recording.steps.map(({ request }) => request) });
    return recording.steps.flatMap(({ request, answer }, step) => {
      const diffs = [...differences(answer, answers[step])];
      return diffs.length > 0 ? [{ step, request: describeStep(request), diffs }] : [];
    });
  } catch (error) {
    return [{ step: -1, request: 'run', diffs: [String(error instanceof Error ? error.message : error)] }];
  } finally {
    client.close();
  }
}

/**
 * Runs a scenario and records the responses.
 * @param {import('./scenario.mjs').Scenario} scenario
 * @param {string} kubeconfig  its text
 * @returns {Promise<Recording>}
 */
export async function record(scenario, kubeconfig) {
  const client = kubeClient(kubeconfig);
  try {
    const answers = await runScenario(client, scenario);
    const steps = scenario.steps.map((request, i) => ({ request, answer: answers[i] }));
    return { name: scenario.name, ...(scenario.vars && { vars: scenario.vars }), steps };
  } finally {
    client.close();
  }
}

/** @param {import('./scenario.mjs').Step} step */
function describeStep(step) {
  return step.method || step.path ? `${step.method ?? 'GET'} ${step.path}` : JSON.stringify(step);
}
