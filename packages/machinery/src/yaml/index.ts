export { parseYaml, YamlSyntaxError } from './parse.ts';
export { stringifyYaml } from './stringify.ts';
