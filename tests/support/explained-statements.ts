/** A statement in the log of a database server, with the large tables that it reads without an index. */
export interface ExplainedStatement {
  readonly text: string;
  readonly scanned: readonly string[];
}

/** The statements in a log of PostgreSQL with `auto_explain`. Statements of administrators that load or analyze are left out. */
export function explainedByPostgres(log: string): ExplainedStatement[] {
  const plans = log.split(/^.*LOG: {2}duration: .* plan:$/m).slice(1);
  return plans
    .map((plan) => {
      const [text = ''] = plan.split('(cost=');
      const scanned = [...plan.matchAll(/Seq Scan on (tsukube_changes|tsukube_objects)/g)].map(([found]) => found);
      return { text, scanned };
    })
    .filter(({ text }) => !text.includes('generate_series'));
}

/** The statements in a slow log of MariaDB with `log_slow_verbosity=explain`. */
export function explainedByMariadb(log: string): ExplainedStatement[] {
  return log
    .split(/^# User@Host: /m)
    .slice(1)
    .map((entry) => {
      const rows = [...entry.matchAll(/^# explain: (\d.*)$/gm)].map(([, row = '']) => row.split('\t'));
      const text = entry.replace(/^#.*$|^SET timestamp.*$/gm, '').trim();
      return { text: text.slice(0, 2_000), scanned: rows.filter(isLargeScan).map((row) => row.join(' ')) };
    })
    .filter(({ text }) => text.includes('tsukube_') && !text.includes('seq_2_to_') && !text.startsWith('ANALYZE'));
}

/** Columns: id, select type, table, type, possible keys, key, key length, ref, rows, rows read, … Pages of derived tables are small. */
function isLargeScan([, , table = '', type = '', , , , , , read = '']: readonly string[]): boolean {
  return (type === 'ALL' || type === 'index') && !table.startsWith('<') && Number(read) > 2_000;
}
