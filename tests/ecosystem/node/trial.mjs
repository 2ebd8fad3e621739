/** Prints result lines for the harness, and requests restarts. */
import { createInterface } from 'node:readline';

const input = createInterface({ input: process.stdin });
let failed = 0;

/** Passes if the step resolves with a truthy value. @param {string} name @param {() => unknown} step */
export async function check(name, step) {
  let problem = 'the outcome is not the expected one';
  try {
    if (await step()) {
      console.log(`ok ${name}`);
      return;
    }
  } catch (error) {
    console.error(error);
    problem = String(error).replaceAll('\n', ' ');
  }
  failed += 1;
  console.log(`not ok ${name}: ${problem}`);
}

/** @param {() => unknown} condition */
export async function eventually(condition, seconds = 40) {
  const deadline = performance.now() + seconds * 1000;
  while (performance.now() < deadline) {
    if (await attempt(condition)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

/** @param {() => unknown} condition */
async function attempt(condition) {
  try {
    return await condition();
  } catch {
    return false;
  }
}

export async function restartServer() {
  console.log('@restart');
  await new Promise((resolve) => input.once('line', resolve));
}

export function finish() {
  process.exit(failed === 0 ? 0 : 1);
}
