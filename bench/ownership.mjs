/**
 * The cost of managedFields: updates, creations and applies in this process, without HTTP and disk.
 *
 *     node bench/ownership.mjs
 */
import { admissionChain, fieldManagement, ObjectRegistry, openFeed, WatchCache, withResourceVersion } from '@tsukube/apiserver';
import { configMap } from '@tsukube/builtin';
import { openMemory } from '@tsukube/storage/memory';
import { encodeConfiguration, managers } from './driver/applied.mjs';
import { encodeConfigMap, objectName } from './driver/config-map.mjs';

const warmup = 5000;
const operations = 1000;
const rounds = 15;

/** @param {boolean} owners */
async function openRegistry(owners) {
  const store = await openMemory();
  const feed = await openFeed(store, '/registry/', () => {});
  const cache = new WatchCache(store, feed, { prefix: `${configMap.storagePrefix}/`, present: withResourceVersion });
  const services = { admission: admissionChain([]), now: Date.now, ...(owners && { fieldManagement: fieldManagement() }) };
  return new ObjectRegistry(configMap, cache, services);
}

const context = {
  version: configMap.hub,
  user: { name: 'bench', groups: [] },
  namespace: 'bench',
  subresource: '',
  strategy: configMap.strategy,
  dryRun: false,
  fieldManager: 'bench',
  warn: () => {},
  isOver: () => false,
};

/** @param {() => Promise<unknown>} operation @returns {Promise<number>} microseconds of processor time for each */
async function timed(operation) {
  const begun = process.cpuUsage();
  for (let i = 0; i < operations; i++) await operation();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / operations;
}

/** @param {ObjectRegistry} registry */
function updates(registry) {
  let count = 0;
  return () => {
    const object = JSON.parse(encodeConfigMap('cm', 0, String(count++)).toString());
    return registry.update(objectName('cm', 0), undefined, () => object, context);
  };
}

/** @param {ObjectRegistry} registry */
function applies(registry) {
  const complete = (merged) => merged;
  let count = 0;
  return () => {
    const manager = count % managers;
    const configuration = JSON.parse(encodeConfiguration('cm', 0, manager, String(count++)).toString());
    const applied = { ...context, fieldManager: `manager-${manager}` };
    return registry.apply(objectName('cm', 0), { configuration, force: false, complete }, applied);
  };
}

/** @param {ObjectRegistry} registry */
function creates(registry) {
  let count = 0;
  return () => registry.create(JSON.parse(encodeConfigMap('created', count++, 'x').toString()), context);
}

/** @param {boolean} owners */
async function seeded(owners) {
  const registry = await openRegistry(owners);
  await registry.create(JSON.parse(encodeConfigMap('cm', 0, 'x').toString()), context);
  return registry;
}

async function measure() {
  const [plain, owned] = [await seeded(false), await seeded(true)];
  // Alternating, so that other load on the machine affects all of them.
  const kinds = {
    'update, 1 KB, without managedFields': updates(plain),
    'update, 1 KB, with managedFields': updates(owned),
    'create, 1 KB, without managedFields': creates(plain),
    'create, 1 KB, with managedFields': creates(owned),
    'apply, 4 KB, three managers': applies(await seeded(true)),
  };
  const samples = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (const operation of Object.values(kinds)) for (let i = 0; i < warmup; i++) await operation();
  for (let round = 0; round < rounds; round++)
    for (const [name, operation] of Object.entries(kinds)) samples[name].push(await timed(operation));
  return Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, times.sort((a, b) => a - b)[rounds >> 1]]));
}

for (const [name, microseconds] of Object.entries(await measure()))
  console.log(`${name.padEnd(40)} ${microseconds.toFixed(1)} µs`);
