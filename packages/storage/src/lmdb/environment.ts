import { FileGuard } from './file-guard.ts';
import { type EnvironmentOptions, openTables, type Tables } from './tables.ts';

/** The tables of a database that can be closed and opened between two turns of the loop. */
export interface Environment extends Tables {
  /**
   * Opens the database anew, so that nothing of it is mapped. Nobody may hold a transaction, nor a table beyond the
   * turn of the loop. If it fails, the tables are closed.
   */
  reopen(): void;
  readonly guard: FileGuard;
}

export function openEnvironment(options: EnvironmentOptions): Environment {
  const tables = openTables(options);
  const reopen = () => {
    closeAtOnce(tables.root);
    Object.assign(tables, openTables(options));
  };
  return Object.assign(tables, { reopen, guard: new FileGuard(options.path) });
}

/** Part of LMDB's close that its types do not know: it waits for the writes. */
interface WaitingForWrites {
  _endWrites?: (() => Promise<void> | undefined) | undefined;
}

/**
 * LMDB waits for writes even where all have ended, and would be closed some steps later: reads in between would fail.
 * Without that part it closes within the call.
 */
function closeAtOnce(root: Tables['root']): void {
  (root as Tables['root'] & WaitingForWrites)._endWrites = undefined;
  void root.close();
  const { status } = root as unknown as { readonly status: string };
  if (status !== 'closed') throw new Error(`the database is ${status}`);
}
