import type { OwnerReference } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { OwnerGraph } from './owner-graph.ts';

const reference = (uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
});

describe('OwnerGraph', () => {
  it('finds dependents by the uid of the owner', () => {
    const graph = new OwnerGraph();
    graph.set({ key: 'a', owners: [reference('1'), reference('2')], waits: false });
    graph.set({ key: 'b', owners: [reference('1')], waits: false });
    expect([...graph.dependentsOf('1')]).toEqual(['a', 'b']);
    graph.set({ key: 'a', owners: [reference('2')], waits: false });
    expect([...graph.dependentsOf('1')]).toEqual(['b']);
    graph.remove('b');
    expect([graph.size, graph.dependentsOf('1').size]).toEqual([1, 0]);
  });

  it('tracks whether a dependent blocks the deletion of its owner', () => {
    const graph = new OwnerGraph();
    graph.set({ key: 'a', owners: [reference('1', true)], waits: false });
    graph.set({ key: 'b', owners: [reference('1', true), reference('1', true)], waits: false });
    graph.set({ key: 'c', owners: [reference('1', false)], waits: false });
    expect(graph.isBlocked('1')).toBe(true);
    graph.set({ key: 'a', owners: [reference('1', false)], waits: false });
    expect(graph.isBlocked('1')).toBe(true);
    graph.remove('b');
    expect(graph.isBlocked('1')).toBe(false);
    expect(graph.isBlocked('2')).toBe(false);
  });

  it('shares equal references, so that a dependent takes little memory', () => {
    const graph = new OwnerGraph();
    for (let i = 0; i < 100; i++) graph.set({ key: `k${i}`, owners: [reference('1', true)], waits: false });
    const shared = new Set(Array.from({ length: 100 }, (_, i) => graph.get(`k${i}`)?.owners[0]));
    expect(shared.size).toBe(1);
    graph.set({ key: 'other', owners: [reference('1', false)], waits: false });
    expect(graph.get('other')?.owners).toEqual([reference('1', false)]);
  });
});
