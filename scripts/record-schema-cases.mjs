/**
 * Sends the objects in packages/machinery/src/structural/recorded/*.json to a kube-apiserver and records its responses in those
 * files: node scripts/record-schema-cases.mjs KUBECONFIG [NAME…]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { connect } from './ask-kubernetes.mjs';

const [kubeconfig, ...names] = process.argv.slice(2);
const folder = new URL('../packages/machinery/src/structural/recorded/', import.meta.url).pathname;
const group = 'recorded.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const { ask, close } = connect(kubeconfig);

for (const file of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
  const name = basename(file, '.json');
  if (names.length === 0 || names.includes(name)) await record(name, join(folder, file));
}
close();

async function record(name, file) {
  const recording = JSON.parse(readFileSync(file, 'utf8'));
  const plural = `${name.replaceAll('-', '')}s`;
  const collection = `/apis/${group}/v1/${plural}`;
  await ask('DELETE', `${definitions}/${plural}.${group}`);
  await settled(async () => (await ask('GET', `${definitions}/${plural}.${group}`)).code === 404);
  await define(plural, recording.loose ?? recording.schema);
  await settled(async () => (await ask('GET', collection)).code === 200);
  const updates = recording.cases.filter((each) => each.old !== undefined);
  for (const [i, each] of updates.entries()) {
    const created = await ask('POST', collection, objectOf(plural, `update-${i}`, each.old));
    if (created.code !== 201) throw new Error(`${name}: ${each.title}: ${JSON.stringify(created.body)}`);
  }
  if (recording.loose) {
    await define(plural, recording.schema);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
  for (const each of recording.cases) each.answer = await answerTo(each, collection, plural, updates);
  writeFileSync(file, `${JSON.stringify(recording, undefined, 1)}\n`);
  await ask('DELETE', `${definitions}/${plural}.${group}`);
  console.log(`${name}: ${recording.cases.length} cases`);
}

async function answerTo(each, collection, plural, updates) {
  const query = '?dryRun=All&fieldValidation=Warn';
  if (each.old === undefined) {
    return shown(await ask('POST', `${collection}${query}`, objectOf(plural, 'sample', each.object)));
  }
  const path = `${collection}/update-${updates.indexOf(each)}`;
  const { metadata } = (await ask('GET', path)).body;
  const object = objectOf(plural, metadata.name, each.object);
  object.metadata.resourceVersion = metadata.resourceVersion;
  return shown(await ask('PUT', `${path}${query}`, object));
}

function shown({ code, body, warnings }) {
  const answer = { code, ...(warnings.length > 0 && { warnings }) };
  if (code >= 400)
    return { ...answer, ...(body.details?.causes ? { causes: sorted(body.details.causes) } : { message: body.message }) };
  const { apiVersion, kind, metadata, ...object } = body;
  return { ...answer, object };
}

function sorted(causes) {
  return causes.map(({ reason, field, message }) => ({ reason, field, message })).sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function order({ field, message }) {
  return `${field} ${message}`;
}

async function define(plural, schema) {
  const [path, old] = [`${definitions}/${plural}.${group}`, await ask('GET', `${definitions}/${plural}.${group}`)];
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(old.code === 200 && { resourceVersion: old.body.metadata.resourceVersion }) },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind: kindOf(plural) },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  const { code, body: answer } = old.code === 200 ? await ask('PUT', path, body) : await ask('POST', definitions, body);
  if (code >= 300) throw new Error(`${plural}: ${answer.message}`);
}

function kindOf(plural) {
  return `${plural[0].toUpperCase()}${plural.slice(1, -1)}`;
}

function objectOf(plural, name, object) {
  return { apiVersion: `${group}/v1`, kind: kindOf(plural), metadata: { name }, ...structuredClone(object) };
}

async function settled(condition) {
  for (let tries = 0; tries < 100; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the definition was not ready in time');
}
