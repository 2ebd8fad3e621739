/**
 * Sends the definitions in packages/crds/src/definition/recorded/*.json to a kube-apiserver and records its responses in those
 * files: node scripts/record-definition-cases.mjs KUBECONFIG [NAME…]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { connect } from './ask-kubernetes.mjs';

const [kubeconfig, ...names] = process.argv.slice(2);
const folder = new URL('../packages/crds/src/definition/recorded/', import.meta.url).pathname;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const query = '?dryRun=All&fieldValidation=Warn';
const { ask, close } = connect(kubeconfig);

for (const file of readdirSync(folder)) {
  const name = basename(file, '.json');
  if (names.length === 0 || names.includes(name)) await record(name, join(folder, file));
}
close();

async function record(name, file) {
  const cases = JSON.parse(readFileSync(file, 'utf8'));
  for (const each of cases) each.answer = each.old ? await answerToUpdate(each) : shown(await create(each.spec, each.metadata));
  writeFileSync(file, `${JSON.stringify(cases, undefined, 1)}\n`);
  console.log(`${name}: ${cases.length} cases`);
}

function create(spec, metadata, how = query) {
  return ask('POST', `${definitions}${how}`, definitionOf(spec, metadata));
}

async function answerToUpdate({ spec, metadata, old }) {
  const name = nameOf(old);
  await ask('DELETE', `${definitions}/${name}`);
  await established(name, (body) => body === undefined);
  const created = await create(old, metadata, '');
  if (created.code !== 201) throw new Error(JSON.stringify(created.body));
  const { metadata: now } = await established(name, (body) => body?.status.conditions?.some(isEstablished));
  const update = definitionOf(spec, { name, ...metadata, resourceVersion: now.resourceVersion });
  const answer = shown(await ask('PUT', `${definitions}/${name}${query}`, update));
  await ask('DELETE', `${definitions}/${name}`);
  return answer;
}

function isEstablished({ type, status }) {
  return type === 'Established' && status === 'True';
}

async function established(name, condition) {
  for (;;) {
    const { code, body } = await ask('GET', `${definitions}/${name}`);
    if (condition(code === 200 ? body : undefined)) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function definitionOf(spec, metadata = { name: nameOf(spec) }) {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
}

function nameOf({ names, group }) {
  return `${names.plural}.${group}`;
}

function shown({ code, body, warnings }) {
  const answer = { code, ...(warnings.length > 0 && { warnings }) };
  if (code < 400) return { ...answer, spec: body.spec };
  if (!body.details?.causes) return { ...answer, message: body.message };
  const causes = body.details.causes.map(({ reason, field, message }) => ({
    reason,
    field,
    message: message.replaceAll(/selfType\d+/g, 'selfType'),
  }));
  return { ...answer, causes: causes.sort((a, b) => (`${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1)) };
}
