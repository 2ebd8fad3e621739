export const flagGroups = [
  'Serving',
  'Storage',
  'Authentication',
  'Authorization',
  'Audit',
  'API',
  'Admission',
  'Kubelets',
  'Aggregation',
  'Limits',
  'Logging',
  'Accepted without effect',
  'Refused',
] as const;
export type FlagGroup = (typeof flagGroups)[number];

/** A setting of the server. The command line, environment, configuration file and help text are derived from it. */
export interface Flag<T> {
  readonly group: FlagGroup;
  readonly help: string;
  /** Origin of the flag; kube-apiserver by default. */
  readonly origin?: 'tsukube' | 'kube-controller-manager';
  /** Placeholder of the value in the help text; boolean flags have none. */
  readonly placeholder?: string;
  readonly short?: string;
  readonly fallback: T;
  /** The default in the help text, where `fallback` does not say it. */
  readonly fallbackText?: string;
  /** Allowed values, if limited. */
  readonly of?: readonly string[];
  /** The value may contain a password and is never shown. */
  readonly isSecret?: true;
  /** A boolean flag, whose value is optional. */
  readonly isSwitch?: true;
  /** A repeated flag adds values instead of replacing them. */
  readonly accumulates?: true;
  /** Parses the given texts, one per occurrence of the flag. Throws BadValue. */
  parse(texts: readonly string[]): T;
  /** Returns why a value is invalid. */
  check?(value: T): string | undefined;
}

/** A text that is not a value of the flag. The message completes the sentence `--flag: "text" …`. */
export class BadValue extends Error {
  override readonly name = 'BadValue';
}

/** `securePort` → `secure-port`. */
export function flagName(option: string): string {
  return option.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

/** `securePort` → `TSUKUBE_SECURE_PORT`. */
export function variableName(option: string): string {
  return `TSUKUBE_${flagName(option).replaceAll('-', '_').toUpperCase()}`;
}
