import { type FieldErrors, type FieldPath, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const maxRules = 20;
const maxExitCodes = 255;

/** When a container is started again, where it differs from its pod. */
export function validateRestartPolicy(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rules = objectsIn(container, 'restartPolicyRules');
  const policy = container.restartPolicy;
  if (policy === undefined) {
    if (rules.length === 0) return;
    errors.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
  } else if (!policies.includes(policy as string)) errors.notSupported(at.child('restartPolicy'), policy, policies);
  const list = at.child('restartPolicyRules');
  if (rules.length > maxRules) errors.tooMany(list, rules.length, maxRules);
  for (const [i, rule] of rules.entries()) validateRule(rule, list.index(i), errors);
}

function validateRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const action = textIn(rule, 'action');
  if (!actions.includes(action)) errors.notSupported(at.child('action'), action, actions);
  const exitCodes = objectIn(rule, 'exitCodes');
  if (!exitCodes) {
    errors.required(at.child('exitCodes'), 'must be specified');
    return;
  }
  const operator = textIn(exitCodes, 'operator');
  if (!operators.includes(operator)) errors.notSupported(at.child('exitCodes', 'operator'), operator, operators);
  const count = ((exitCodes.values ?? []) as unknown[]).length;
  if (count > maxExitCodes) errors.tooMany(at.child('exitCodes', 'values'), count, maxExitCodes);
}
