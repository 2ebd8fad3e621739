export const flagGroups = [
  'Serving',
  'Storage',
  'Authentication',
  'Authorization',
  'Audit',
  'API',
  'Admission',
  'Limits',
  'Logging',
  'Accepted without effect',
  'Refused',
] as const;
export type FlagGroup = (typeof flagGroups)[number];

/** One setting of the server. Command line, environment, configuration file and help text are all read off it. */
export interface Flag<T> {
  readonly group: FlagGroup;
  readonly help: string;
  /** Where the flag comes from; kube-apiserver unless stated. */
  readonly origin?: 'tsukube' | 'kube-controller-manager';
  /** What stands for the value in the help text; switches have none. */
  readonly placeholder?: string;
  readonly short?: string;
  readonly fallback: T;
  /** The default as the help text says it, where `fallback` alone does not. */
  readonly fallbackText?: string;
  /** The values allowed, if there are only these. */
  readonly of?: readonly string[];
  /** A switch may be given without a value. */
  readonly isSwitch?: true;
  /** Takes several values: a repeated flag adds to what was given before instead of replacing it. */
  readonly accumulates?: true;
  /** Reads the texts given, one for each time the flag was. Fails with BadValue. */
  parse(texts: readonly string[]): T;
  /** Says what is wrong with a value of the right type. */
  check?(value: T): string | undefined;
}

/** A text is not a value of the flag. The message completes the sentence `--flag: "text" …`. */
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
