/** The text is not YAML, or not YAML that can be said in JSON. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}
