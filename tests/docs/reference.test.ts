import { kubeApiserverFlags, serveHelp } from '@tsukube/server/config';
import { expect, it } from 'vitest';
import { placeOf, readDocument } from './documents.ts';

interface Row {
  readonly group: string;
  readonly flag: string;
  readonly text: string;
}

/** The rows of the help text, with wrapped lines joined. */
function helpRows(help: string): Row[] {
  const rows: { group: string; flag: string; text: string }[] = [];
  let group = '';
  for (const line of help.split('\n')) {
    const flag = /^ {2}(-\S.*?)(?: {2,}(.*))?$/.exec(line);
    if (/^[A-Z][\w ]*:$/.test(line)) group = line.slice(0, -1);
    else if (flag) rows.push({ group, flag: flag[1] as string, text: flag[2] ?? '' });
    else if (line.startsWith('    ')) (rows.at(-1) as { text: string }).text += ` ${line.trim()}`;
  }
  return rows.map((row) => ({ ...row, text: row.text.trim() }));
}

function tables(rows: readonly Row[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  return groups.map((group) => table(group, rows)).join('\n');
}

function table(group: string, rows: readonly Row[]): string {
  const own = rows.filter((row) => row.group === group).map(tableRow);
  return [`**${group}**`, '', '| flag | default | meaning |', '|---|---|---|', ...own, ''].join('\n');
}

function tableRow({ flag, text }: Row): string {
  const [, meaning = '', fallback = ''] = /^(.*?)(?: \(default (.*)\))?$/.exec(text) ?? [];
  return `| \`${flag}\` | ${fallback} | ${meaning} |`.replace(/(?<=\w)\|(?=\w)/g, '\\|');
}

function withFlags(page: string): string {
  const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  return `${page.slice(0, before)}\n\n${tables(helpRows(serveHelp()))}\n${page.slice(after)}`;
}

const [begin, end] = ['<!-- flags:begin -->', '<!-- flags:end -->'];

it('the reference lists every flag as the help text does (npm test -- tests/docs -u rewrites it)', async () => {
  const page = readDocument('docs/reference.md');
  expect(page).toMatch(new RegExp(`${begin}[^]*${end}`));
  await expect(withFlags(page)).toMatchFileSnapshot(placeOf('docs/reference.md'));
});

const [supportBegin, supportEnd] = ['<!-- kube-apiserver-flags:begin -->', '<!-- kube-apiserver-flags:end -->'];

function supportTable(): string {
  const all = kubeApiserverFlags();
  const count = (support: string) => all.filter((row) => row.support === support).length;
  const rows = all.map(({ flag, support, reason }) => `| \`${flag}\` | ${support} | ${reason} |`);
  return [
    `Of ${all.length} flags ${count('works')} work, ${count('accepted without effect')} are accepted without effect and ${count('refused')} are refused.`,
    '',
    '| flag | here | why |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

it('the compatibility page lists every flag of kube-apiserver (npm test -- tests/docs -u rewrites it)', async () => {
  const page = readDocument('docs/compatibility.md');
  expect(page).toMatch(new RegExp(`${supportBegin}[^]*${supportEnd}`));
  const [before, after] = [page.indexOf(supportBegin) + supportBegin.length, page.indexOf(supportEnd)];
  const written = `${page.slice(0, before)}\n\n${supportTable()}\n\n${page.slice(after)}`;
  await expect(written).toMatchFileSnapshot(placeOf('docs/compatibility.md'));
});
