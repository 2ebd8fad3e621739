import type { FieldErrors } from '../../errors/field-errors.ts';
import { type FieldPath, path } from '../../errors/field-path.ts';
import { sortKeys, stringifyJson } from '../../json/stringify.ts';
import type { JsonValue } from '../../json/value.ts';

/** A validation error, like those of Kubernetes' validator. */
export interface Finding {
  /** Findings with the same message are duplicates. */
  readonly message: string;
  /** The path: `spec.list[0].a`. Absent for combinations of schemas, which Kubernetes reports without a path. */
  readonly name?: string;
  readonly value?: JsonValue;
  readonly is?:
    | 'required'
    | 'type'
    | { readonly longerThan: number }
    | { readonly moreThan: number }
    | { readonly noneOf: readonly JsonValue[] };
}

/** Limit of findings: an object can have as many errors as bytes. */
const maxFindings = 10_000;

/** Collected findings and the number of passed checks, which selects the alternative to report. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #messages = new Set<string>();
  matches = 0;

  get valid(): boolean {
    return this.list.length === 0;
  }

  /** Whether the limit is reached. */
  get full(): boolean {
    return this.list.length >= maxFindings;
  }

  add(finding: Finding): this {
    if (this.full || this.#messages.has(finding.message)) return this;
    this.#messages.add(finding.message);
    this.list.push(finding);
    return this;
  }

  merge(other: Findings): void {
    for (const finding of other.list) this.add(finding);
    this.matches += other.matches;
  }
}

/** `root` is the path of the validated value; absent for a whole object. */
export function reportFindings(findings: Findings, root: FieldPath | undefined, errors: FieldErrors): void {
  for (const finding of findings.list) reportOne(finding, root, errors);
}

function reportOne({ message, name, value, is }: Finding, root: FieldPath | undefined, errors: FieldErrors): void {
  if (name === undefined) {
    errors.invalid(root, '', message);
    return;
  }
  const at = pathOf(name, root);
  if (is === 'required') errors.required(at);
  else if (is === 'type') errors.typeInvalid(at, value ?? '', message);
  else if (is === undefined) errors.invalid(at, value ?? '', message);
  else if ('longerThan' in is) errors.tooLong(at, is.longerThan);
  else if ('moreThan' in is) errors.tooMany(at, Number(value), is.moreThan);
  else errors.notSupported(at, value === undefined ? value : sortKeys(value), is.noneOf.map(enumText));
}

function pathOf(name: string, root: FieldPath | undefined): FieldPath | undefined {
  if (name === '' || name === '.') return root;
  const relative = name.startsWith('.') ? name.slice(1) : name;
  return root === undefined ? path(relative) : root.child(relative);
}

function enumText(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
