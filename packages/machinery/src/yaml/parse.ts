import type { ParsedJson } from '../json/parse.ts';

/** The text is not YAML, or not YAML that can be said in JSON; the message is the one Kubernetes gives. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

/** Fails with YamlSyntaxError. */
export function parseYaml(_bytes: Uint8Array): Promise<ParsedJson> {
  throw new YamlSyntaxError('not written yet');
}
