import { describe, expect, it } from 'vitest';
import type { SqlDialect } from './dialect.ts';
import { Durability } from './durability.ts';

/** Commits whose heartbeats are counted; a crash makes the next one use another connection. */
class Commits {
  connections = 1;
  heartbeats = 0;
  crashed = false;

  inFlight(): Promise<void> | undefined {
    return undefined;
  }

  async heartbeat(): Promise<void> {
    this.heartbeats++;
    if (this.crashed) this.connections++;
    this.crashed = false;
  }
}

function durability(visibleBeforeDurable: boolean) {
  const commits = new Commits();
  return { commits, barrier: new Durability({ visibleBeforeDurable } as SqlDialect, commits) };
}

describe('the durability of a revision that was read', () => {
  it('is certain where a commit becomes visible after it is durable', async () => {
    const { commits, barrier } = durability(false);
    expect(await barrier.confirm(7, barrier.begin())).toBe(true);
    expect(commits.heartbeats).toBe(0);
  });

  it('follows from a later commit on the same connection, which is made once', async () => {
    const { commits, barrier } = durability(true);
    expect(await barrier.confirm(7, barrier.begin())).toBe(true);
    expect(await barrier.confirm(6, barrier.begin())).toBe(true);
    expect(commits.heartbeats).toBe(1);
  });

  it('follows from an own commit of a later revision', async () => {
    const { commits, barrier } = durability(true);
    barrier.note(8);
    expect(await barrier.confirm(7, barrier.begin())).toBe(true);
    expect(commits.heartbeats).toBe(0);
  });

  it('is unknown if the database may have crashed since the read began', async () => {
    const { commits, barrier } = durability(true);
    const began = barrier.begin();
    commits.crashed = true;
    expect(await barrier.confirm(7, began)).toBe(false);
    expect(await barrier.confirm(7, barrier.begin())).toBe(true);
    expect(commits.heartbeats).toBe(2);
  });
});
