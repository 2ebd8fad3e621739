import {
  type FieldErrors,
  type FieldPath,
  isValidLabelValue,
  type JsonObject,
  textIn,
  validateLabelName,
} from '@tsukube/machinery';

const effects = ['NoExecute', 'NoSchedule', 'None'];
const operators = ['Equal', 'Exists'];

export function validateTaint(taint: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateLabelName(textIn(taint, 'key'), at.child('key'), errors);
  validateValue(textIn(taint, 'value'), at.child('value'), errors);
  const effect = textIn(taint, 'effect');
  if (effect === '') errors.required(at.child('effect'));
  else if (!effects.includes(effect)) errors.notSupported(at.child('effect'), effect, effects);
}

export function validateToleration(toleration: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [key, value] = [textIn(toleration, 'key'), textIn(toleration, 'value')];
  const [operator, effect] = [textIn(toleration, 'operator'), textIn(toleration, 'effect')];
  if (key !== '') validateLabelName(key, at.child('key'), errors);
  if (operator === '') errors.required(at.child('operator'));
  else if (!operators.includes(operator)) errors.notSupported(at.child('operator'), operator, operators);
  if (operator === 'Equal') validateValue(value, at.child('value'), errors);
  if (operator === 'Exists' && value !== '') errors.invalid(at.child('value'), value, 'must be empty for operator `Exists`');
  if (effect !== '' && !effects.includes(effect)) errors.notSupported(at.child('effect'), effect, effects);
}

function validateValue(value: string, at: FieldPath, errors: FieldErrors): void {
  for (const problem of isValidLabelValue(value)) errors.invalid(at, value, problem);
}
