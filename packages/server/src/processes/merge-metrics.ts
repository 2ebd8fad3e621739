interface MergedFamily {
  /** The lines `# HELP` and `# TYPE`. */
  readonly head: string[];
  readonly samples: string[];
}

/** Merges the text expositions of several processes. Every sample gets the label `worker`, so no two are of one series. */
export function mergeMetrics(texts: ReadonlyMap<number, string>): string {
  const families = new Map<string, MergedFamily>();
  for (const [worker, text] of texts) addText(families, worker, text);
  return [...families]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { head, samples }]) => `${[...head, ...samples].join('\n')}\n`)
    .join('');
}

/** Samples follow the head of their family. */
function addText(families: Map<string, MergedFamily>, worker: number, text: string): void {
  let family: MergedFamily = { head: [], samples: [] };
  let isNew = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) {
      const [, , name = ''] = line.split(' ', 3);
      isNew = !families.has(name);
      family = families.get(name) ?? { head: [], samples: [] };
      families.set(name, family);
    }
    if (line.startsWith('#')) {
      if (isNew) family.head.push(line);
    } else if (line !== '') family.samples.push(labelled(line, worker));
  }
}

/** `name{a="1"} 2` or `name 2`. Names contain neither braces nor spaces. */
function labelled(line: string, worker: number): string {
  const end = line.search(/[{ ]/);
  const name = line.slice(0, end);
  if (line[end] === ' ') return `${name}{worker="${worker}"}${line.slice(end)}`;
  return `${name}{worker="${worker}",${line.slice(end + 1)}`;
}
