import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownDifferences } from '../golden/known-differences.ts';
import { anchors, documents, placeOf, readDocument, withoutCode } from './documents.ts';

/** Targets of relative links and images. */
function linksOf(text: string): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(placeOf(target))) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchors(readDocument(target)).includes(anchor);
}

describe('links between documents', () => {
  it.each(documents)('%s', (page) => {
    expect(linksOf(readDocument(page)).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it('lead from the README to every page of the documentation', () => {
    const linked = linksOf(readDocument('README.md'));
    expect(documents.filter((page) => page.startsWith('docs/') && !linked.includes(page))).toEqual([]);
  });
});

describe('known differences', () => {
  const reasons = [...new Set(Object.values(knownDifferences).flatMap((steps) => Object.values(steps)))];

  it.each(reasons)('%s has a heading', (reason) => {
    expect(anchors(readDocument('docs/compatibility.md'))).toContain(reason.replaceAll(' ', '-'));
  });
});
