import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/** Packages whose text is in descriptions.json. */
const textSources = ['kubernetes-models'];

/** License texts of the packages whose code or text is part of the published package. */
export function notices(metafile) {
  const names = new Set([...Object.keys(metafile.inputs).flatMap(packageOf), ...textSources]);
  const parts = [...names].sort().map(noticeOf);
  return `Tsukube contains code or text of these packages.\n\n${parts.join('\n')}\n${kubernetes}`;
}

const kubernetes = `Kubernetes API reference
https://github.com/kubernetes/kubernetes
Apache-2.0

The descriptions of API types and fields that \`kubectl explain\` prints are those of Kubernetes,
Copyright The Kubernetes Authors, under the Apache License, Version 2.0. See LICENSE.
`;

function packageOf(path) {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1];
  return name === undefined ? [] : [name];
}

function noticeOf(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const address = (repository?.url ?? repository ?? '')
    .replace(/^git\+(?:ssh:\/\/git@)?/, '')
    .replace(/^(?!https?:)/, 'https://');
  return `${name} ${version}\n${address}\n${license}\n\n${licenceText(folder, name, license)}\n${'-'.repeat(78)}\n`;
}

function licenceText(folder, name, license) {
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim();
  const readme = join(folder, 'README.md');
  const section = existsSync(readme) ? readFileSync(readme, 'utf8').split(/^#+ licen[cs]e\s*$/im)[1] : undefined;
  if (!license || !section) throw new Error(`${name} is bundled and has no licence text`);
  return section.split(/^#/m)[0].trim();
}
