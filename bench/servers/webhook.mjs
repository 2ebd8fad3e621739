import { fork } from 'node:child_process';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { encodeConfigMap } from '../driver/config-map.mjs';

/**
 * A webhook for the benchmark.
 * @typedef {{ url: string, caBundle: string, answerMs: () => Promise<number>, stop: () => void }} BenchWebhook
 */

const program = fileURLToPath(new URL('../driver/webhook-server.mjs', import.meta.url));
const [warmup, requests] = [300, 500];

/** @returns {Promise<BenchWebhook>} */
export async function startWebhook() {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  /** @type {{ port: number, caBundle: string }} */
  const { port, caBundle } = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(/** @type {{ port: number, caBundle: string }} */ (message)));
    child.once('exit', (code) => reject(new Error(`the webhook ended with ${code}`)));
  });
  const url = `https://127.0.0.1:${port}/`;
  return { url, caBundle, answerMs: () => answerTime(url, caBundle), stop: () => child.disconnect() };
}

/**
 * The time the webhook itself takes: requests of one client on one connection, one at a time.
 * @param {string} url @param {string} caBundle
 */
async function answerTime(url, caBundle) {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: Buffer.from(caBundle, 'base64') });
  const object = JSON.parse(encodeConfigMap('cm', 0, 'x').toString());
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u', object } });
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i < warmup + requests; i++) {
    const begun = performance.now();
    await post(url, body, agent);
    if (i >= warmup) times.push(performance.now() - begun);
  }
  agent.destroy();
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

/** @param {string} url @param {string} body @param {https.Agent} agent @returns {Promise<void>} */
function post(url, body, agent) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = https.request(url, { method: 'POST', agent, headers }, (response) => response.resume().on('end', resolve));
    sent.on('error', reject).end(body);
  });
}
