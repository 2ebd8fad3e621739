import { isQualifiedName, isValidLabelValue } from '../../meta/validation/labels.ts';
import { nameIsDNS1035Label, nameIsDNSLabel, nameIsDNSSubdomain } from '../../meta/validation/names.ts';
import { stringFormat } from '../../structural/values/formats.ts';
import { type CelType, listType, optionalType, stringType } from '../types/type.ts';
import { ArrayList, CelOpaque, CelOptional, type CelValue, noSuchOverload, optionalNone } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, memberOverload } from './declarations.ts';
import { urlProblem } from './urls.ts';

const formatType: CelType = { kind: 'object', name: 'kubernetes.NamedFormat', params: [] };
type Validate = (text: string) => readonly string[];

class FormatValue extends CelOpaque {
  readonly type = formatType;
  readonly name: string;
  readonly validate: Validate;
  /** Size of the format's regular expression, used for costs. */
  readonly maxRegexSize: number;
  constructor(name: string, maxRegexSize: number, validate: Validate) {
    super();
    this.name = name;
    this.maxRegexSize = maxRegexSize;
    this.validate = validate;
  }
  equals(other: CelValue): CelValue {
    return other instanceof FormatValue ? other.name === this.name : noSuchOverload;
  }
}

function named(format: string, problem: string): Validate {
  return (text) => (stringFormat(format)?.(text) ? [] : [problem]);
}

function uri(text: string): readonly string[] {
  const problem = urlProblem(text);
  return problem === undefined ? [] : [problem];
}

const formats = new Map<string, FormatValue>([
  ['dns1123Label', new FormatValue('DNS1123Label', 30, (text) => nameIsDNSLabel(text, false))],
  ['dns1123Subdomain', new FormatValue('DNS1123Subdomain', 60, (text) => nameIsDNSSubdomain(text, false))],
  ['dns1035Label', new FormatValue('DNS1035Label', 30, (text) => nameIsDNS1035Label(text, false))],
  ['qualifiedName', new FormatValue('QualifiedName', 60, isQualifiedName)],
  ['dns1123LabelPrefix', new FormatValue('DNS1123LabelPrefix', 30, (text) => nameIsDNSLabel(text, true))],
  ['dns1123SubdomainPrefix', new FormatValue('DNS1123SubdomainPrefix', 60, (text) => nameIsDNSSubdomain(text, true))],
  ['dns1035LabelPrefix', new FormatValue('DNS1035LabelPrefix', 30, (text) => nameIsDNS1035Label(text, true))],
  ['labelValue', new FormatValue('LabelValue', 40, isValidLabelValue)],
  ['uri', new FormatValue('URI', 1103, uri)],
  ['uuid', new FormatValue('uuid', 70, named('uuid', 'does not match the UUID format'))],
  ['byte', new FormatValue('byte', 84, named('byte', 'invalid base64'))],
  ['date', new FormatValue('date', 71, named('date', 'invalid date'))],
  ['datetime', new FormatValue('datetime', 71, named('datetime', 'invalid datetime'))],
]);

function validate(format: FormatValue, text: string): CelValue {
  const problems = format.validate(text);
  return problems.length === 0 ? optionalNone : new CelOptional(new ArrayList(problems));
}

export const formatsLibrary: CelLibrary = {
  functions: [
    ...[...formats].map(([name, format]) =>
      declare(
        `format.${name}`,
        globalOverload(`format.${name}`, [], formatType, () => format),
      ),
    ),
    declare(
      'format.named',
      globalOverload('format-named', [stringType], optionalType(formatType), (name: string) => {
        const format = formats.get(name);
        return format === undefined ? optionalNone : new CelOptional(format);
      }),
    ),
    declare(
      'validate',
      memberOverload('format-validate', [formatType, stringType], optionalType(listType(stringType)), validate),
    ),
  ],
};
