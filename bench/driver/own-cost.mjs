/**
 * CPU time of the driver: if it uses a whole core, the driver is the bottleneck.
 * @typedef {{ cpuMs: number, wallMs: number }} OwnCost
 */

/**
 * @template {object} T
 * @param {() => Promise<T>} work
 * @returns {Promise<T & OwnCost>}
 */
export async function withOwnCost(work) {
  const begun = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ...result, cpuMs: (user + system) / 1000, wallMs: performance.now() - begun };
}
