export { parseYaml, type YamlLimits } from './parse.ts';
export { stringifyYaml } from './stringify.ts';
export { YamlSyntaxError } from './syntax-error.ts';
