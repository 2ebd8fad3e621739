import type { KubeObject } from '@tsukube/machinery';
import { emptyObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { builtinResources } from './index.ts';

const shown = builtinResources({ eventTtlSeconds: 3600 }).flatMap((resource) =>
  resource.versions.flatMap((version) =>
    version.columns ? [[`${version.group}/${version.version} ${resource.names.kind}`, resource.hub, version] as const] : [],
  ),
);

/** A bookmark in a Table watch is a row about an empty object. */
describe('columns of an empty object', () => {
  it.each(shown)('%s', (_title, { schema }, version) => {
    const empty = { ...emptyObject(schema.type, schema.catalogue), metadata: { resourceVersion: '1' } };
    const object = version.converter ? version.converter.fromHub(empty) : empty;
    const cells = (version.columns ?? []).map(({ value }) => value(object as KubeObject));
    expect(cells).not.toContain(undefined);
    expect(JSON.stringify(cells)).not.toContain('undefined');
  });
});
