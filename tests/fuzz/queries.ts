import type { Random } from '../support/random.ts';

type Parameters = Readonly<Record<string, readonly string[]>>;

const odd = ['', '0', '-1', '1', 'x', '9223372036854775808', '1e3', '%00', '%FF', 'true', 'a%3Db', 'All', '..'];

const reading: Parameters = {
  resourceVersion: ['0', '', '1', '50'],
  pretty: ['true', 'false', '1'],
  includeObject: ['None', 'Metadata', 'Object'],
};
const listing: Parameters = {
  ...reading,
  limit: ['1', '2', '500', '0'],
  resourceVersionMatch: ['Exact', 'NotOlderThan'],
  labelSelector: ['fuzz%3Dyes', 'fuzz%21%3Dyes', 'a+in+%28b%2Cc%29', '%21fuzz', 'a%3Db%2Cc', 'fuzz%3E1'],
  fieldSelector: ['metadata.name%3Df1', 'metadata.namespace%3Dfuzz', 'spec.nodeName%3Dx', 'status.phase%21%3DRunning', 'a.b%3Dc'],
  continue: ['eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhIn0', 'abc'],
};
const writing: Parameters = {
  dryRun: ['All'],
  fieldManager: ['fuzz', 'other', 'f'.repeat(129), 'a%0Ab'],
  fieldValidation: ['Strict', 'Warn', 'Ignore'],
  pretty: ['true'],
};
const deleting: Parameters = {
  dryRun: ['All'],
  gracePeriodSeconds: ['0', '1', '30'],
  propagationPolicy: ['Foreground', 'Background', 'Orphan'],
  orphanDependents: ['true', 'false'],
};

const parameters: Readonly<Record<string, Parameters>> = {
  get: reading,
  list: listing,
  create: writing,
  update: writing,
  patch: { ...writing, force: ['true', 'false'] },
  delete: deleting,
};

/** Query parameters of a verb, with valid and sometimes invalid values. */
export function queryFor(verb: string, random: Random): string {
  if (verb === 'watch') return watchQuery(random);
  const given = new Map<string, string>();
  if (verb === 'apply')
    for (const [name, value] of [
      ['fieldManager', `m${random(4)}`],
      ['force', 'true'],
    ] as const)
      given.set(name, value);
  const known = Object.entries(parameters[verb] ?? parameters.patch ?? {});
  for (let i = random(3); i > 0; i--) {
    const [name, values] = known[random(known.length)] as [string, readonly string[]];
    const from = random(5) === 0 ? odd : values;
    given.set(name, from[random(from.length)] as string);
  }
  if (given.size === 0) return '';
  return `?${[...given].map(([name, value]) => `${name}=${value}`).join('&')}`;
}

/** Watches end after a second, like other requests. */
function watchQuery(random: Random): string {
  const start = [
    '',
    '&resourceVersion=0',
    '&resourceVersion=1',
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    '&allowWatchBookmarks=true',
  ];
  const selected = ['', '&labelSelector=fuzz%3Dyes', '&fieldSelector=metadata.name%3Df1'];
  return `?watch=1&timeoutSeconds=1${start[random(start.length)]}${selected[random(selected.length)]}`;
}
