import { goQuote, isQualifiedName, type JsonObject } from '@tsukube/machinery';

const standard: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What is said of finalizers that are new and whose names do not tell whose they are. */
export function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const finalizers = finalizersOf(object);
  if (finalizers.length === 0) return [];
  const known = new Set(old ? finalizersOf(old) : []);
  return [...new Set(finalizers)]
    .filter((finalizer) => !known.has(finalizer))
    .sort()
    .flatMap(warningsAbout);
}

function finalizersOf(object: JsonObject): readonly string[] {
  return ((object.metadata as JsonObject).finalizers ?? []) as readonly string[];
}

function warningsAbout(finalizer: string): readonly string[] {
  const said = `metadata.finalizers: ${goQuote(finalizer)}:`;
  const warnings = isQualifiedName(finalizer).map((problem) => `${said} ${problem}`);
  if (finalizer.includes('/') || standard.has(finalizer)) return warnings;
  const how = finalizer.includes('.') ? ' including a path (/)' : '';
  return [
    ...warnings,
    `${said} prefer a domain-qualified finalizer name${how} to avoid accidental conflicts with other finalizer writers`,
  ];
}
