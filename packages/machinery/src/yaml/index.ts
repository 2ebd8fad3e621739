export { YamlSyntaxError } from './document.ts';
export { parseYaml, type YamlLimits } from './parse.ts';
export { stringifyYaml } from './stringify.ts';
