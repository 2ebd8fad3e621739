import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  objectIn,
  textIn,
} from '@tsukube/machinery';

/** The field in which each kind of subject is described. */
const fields = new Map([
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
]);
/** The order in which the fields of the other kinds are complained about. */
const complaints: Readonly<Record<string, readonly string[]>> = {
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
  Group: ['ServiceAccount', 'User'],
};

export function validateFlowSubject(subject: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const kind = textIn(subject, 'kind');
  const field = fields.get(kind);
  if (field === undefined) {
    errors.notSupported(at.child('kind'), kind, [...fields.keys()].sort());
    return;
  }
  validateDescription(objectIn(subject, field), kind, at.child(field), errors);
  for (const other of complaints[kind] ?? []) {
    const otherField = fields.get(other) ?? '';
    if (subject[otherField] !== undefined)
      errors.forbidden(at.child(otherField), `${otherField} is forbidden when subject kind is not '${other}'`);
  }
}

function validateDescription(subject: JsonObject | undefined, kind: string, at: FieldPath, errors: FieldErrors): void {
  if (!subject) {
    errors.required(at, `${fields.get(kind)} is required when subject kind is '${kind}'`);
    return;
  }
  if (textIn(subject, 'name') === '') errors.required(at.child('name'));
  if (kind === 'ServiceAccount') validateAccount(subject, at, errors);
}

function validateAccount(account: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, namespace] = [textIn(account, 'name'), textIn(account, 'namespace')];
  if (name !== '' && name !== '*')
    for (const problem of nameIsDNSSubdomain(name, false)) errors.invalid(at.child('name'), name, problem);
  if (namespace === '') errors.required(at.child('namespace'), 'must specify namespace for service account');
  else for (const problem of nameIsDNSLabel(namespace, false)) errors.invalid(at.child('namespace'), namespace, problem);
}
