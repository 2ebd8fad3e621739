// Schemas of API versions that Kubernetes has removed, for import-facts.mjs. Where no schema is left, protobuf gives the
// fields, and the successor version the rest: JSON names, required fields, defaults, merge keys.

/** Removed versions: their package, their successor, and the kinds served in them. */
const versions = [
  ['admissionregistration.v1beta1', 'admissionregistration.v1', 'MutatingWebhookConfiguration ValidatingWebhookConfiguration'],
  ['authentication.v1beta1', 'authentication.v1', 'TokenReview'],
  [
    'authorization.v1beta1',
    'authorization.v1',
    'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  ],
  ['autoscaling.v2beta1', 'autoscaling.v2', 'HorizontalPodAutoscaler'],
  ['autoscaling.v2beta2', 'autoscaling.v2', 'HorizontalPodAutoscaler'],
  ['batch.v1beta1', 'batch.v1', 'CronJob'],
  ['certificates.v1beta1', 'certificates.v1', 'CertificateSigningRequest'],
  ['coordination.v1beta1', 'coordination.v1', 'Lease'],
  ['discovery.v1beta1', 'discovery.v1', 'EndpointSlice'],
  ['events.v1beta1', 'events.v1', 'Event'],
  ['extensions.v1beta1', 'networking.v1', 'Ingress'],
  ['flowcontrol.v1beta1', 'flowcontrol.v1', 'FlowSchema PriorityLevelConfiguration'],
  ['flowcontrol.v1beta2', 'flowcontrol.v1', 'FlowSchema PriorityLevelConfiguration'],
  ['flowcontrol.v1beta3', 'flowcontrol.v1', 'FlowSchema PriorityLevelConfiguration'],
  ['networking.v1beta1', 'networking.v1', 'Ingress IngressClass'],
  ['node.v1beta1', 'node.v1', 'RuntimeClass'],
  ['policy.v1beta1', 'policy.v1', 'Eviction PodDisruptionBudget'],
  ['rbac.v1beta1', 'rbac.v1', 'ClusterRole ClusterRoleBinding Role RoleBinding'],
  ['scheduling.v1beta1', 'scheduling.v1', 'PriorityClass'],
  ['storage.v1beta1', 'storage.v1', 'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment'],
  ['apiregistration.v1beta1', 'apiregistration.v1', 'APIService'],
];

/** Fields required by the successor but not by these versions. */
const optional = {
  'admissionregistration.v1beta1.MutatingWebhook': ['sideEffects', 'admissionReviewVersions'],
  'admissionregistration.v1beta1.ValidatingWebhook': ['sideEffects', 'admissionReviewVersions'],
  'certificates.v1beta1.CertificateSigningRequestSpec': ['signerName'],
  'extensions.v1beta1.HTTPIngressPath': ['pathType'],
  'networking.v1beta1.HTTPIngressPath': ['pathType'],
};

/** Fields that are always written; not documented in any source. */
const zeroed = {
  'flowcontrol.v1beta1.LimitedPriorityLevelConfiguration': ['assuredConcurrencyShares'],
  'flowcontrol.v1beta2.LimitedPriorityLevelConfiguration': ['assuredConcurrencyShares'],
  'flowcontrol.v1beta3.LimitedPriorityLevelConfiguration': ['nominalConcurrencyShares'],
};

/** Types that JSON inlines into their owner. */
const inlined = new Set(['IngressRuleValue']);

const notStructs = /\.(Quantity|IntOrString|Time|MicroTime|RawExtension)$/;

const wellKnown = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bytes: { type: 'string', format: 'byte' },
};

const comparable = (name) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();
const shortName = (name) => name.slice(name.lastIndexOf('.') + 1);
const packageOf = (name) => name.slice(0, name.lastIndexOf('.'));
const longName = (pkg) => (pkg.startsWith('apiregistration') ? `io.k8s.kube-aggregator.pkg.apis.${pkg}` : `io.k8s.api.${pkg}`);
const messageName = (type) => type.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_');
const typeName = (message) =>
  message
    .replace(/^\./, '')
    .replace(/^k8s\.io\./, 'io.k8s.')
    .replace('kube_aggregator', 'kube-aggregator');

/** The schemas of all removed versions by type name. */
export function removedSchemas({ schemas, removed, messages }) {
  const found = {};
  for (const [pkg, newer, kinds] of versions) {
    const context = {
      pkg: longName(pkg),
      newer: longName(newer),
      version: shortName(pkg),
      group: '',
      schemas,
      removed,
      messages,
    };
    for (const kind of kinds.split(' ')) {
      const [gvk] = schemas[`${context.newer}.${kind}`]['x-kubernetes-group-version-kind'];
      context.group = pkg.startsWith('extensions.') ? 'extensions' : gvk.group;
      addType(`${context.pkg}.${kind}`, context, found);
      const list = `${context.pkg}.${kind}List`;
      if (messages[messageName(list)]) addType(list, context, found);
    }
  }
  return found;
}

function addType(name, context, found) {
  if (found[name] || !name.startsWith(`${context.pkg}.`)) return;
  const schema = schemaOf(name, context);
  found[name] = schema;
  for (const property of Object.values(schema.properties)) {
    const ref = [property, property.items, property.additionalProperties].find((inner) => inner?.$ref)?.$ref;
    if (ref) addType(ref, context, found);
  }
}

function schemaOf(name, context) {
  const known = context.removed[name];
  const newer = context.schemas[`${context.newer}.${shortName(name)}`];
  const base = { ...newer, ...known };
  const stated = (known ?? newer).required ?? [];
  const properties = propertiesOf(messageName(name), known, newer, context);
  // Current schemas contain defaults, the old ones did not.
  for (const field of known ? stated : []) if (properties[field]) properties[field] = withZero(properties[field]);
  const key = name.split('.').slice(-3).join('.');
  for (const field of optional[key] ?? []) delete properties[field].default;
  for (const field of zeroed[key] ?? []) properties[field].default = 0;
  const required = stated.filter((field) => properties[field] && !optional[key]?.includes(field));
  const gvks = base['x-kubernetes-group-version-kind']?.map(({ kind }) => ({
    group: context.group,
    version: context.version,
    kind,
  }));
  return { ...base, properties, required, ...(gvks && { 'x-kubernetes-group-version-kind': gvks }) };
}

function propertiesOf(message, known, newer, context) {
  const typeMeta = newer?.properties?.apiVersion && newer['x-kubernetes-group-version-kind'];
  const properties = typeMeta ? { apiVersion: wellKnown.string, kind: wellKnown.string } : {};
  for (const [, field, type] of context.messages[message]) {
    if (inlined.has(type)) Object.assign(properties, propertiesOf(`${packageOf(message)}.${type}`, known, newer, context));
    else {
      const [name, schema] = propertyOf(field, type, message, known, newer, context);
      properties[name] = { ...schema };
    }
  }
  return properties;
}

function propertyOf(field, type, message, known, newer, context) {
  const find = (schema) => Object.entries(schema?.properties ?? {}).find(([name]) => comparable(name) === comparable(field));
  const mentions = protobufType(type, message, context);
  const [ownName, own] = find(known) ?? [];
  const [newName, learned] = find(newer) ?? [];
  const pointed = learned && ownReferences(learned, context);
  const fits = pointed && shape(pointed) === shape(mentions) && pointed;
  return [ownName ?? newName ?? field, own || fits ? { ...fits, ...own } : mentions];
}

/** Required fields are values in Go, with an empty default where that is known. */
function withZero(schema) {
  if ('default' in schema) return schema;
  if (schema.$ref && !notStructs.test(schema.$ref)) return { ...schema, default: {} };
  const zero = { boolean: false, integer: 0, string: '' }[schema.type];
  return zero === undefined || schema.format === 'byte' ? schema : { ...schema, default: zero };
}

/** The type of a schema, to compare two versions. */
function shape(schema) {
  if (schema.$ref) return schema.$ref;
  if (schema.items) return `[]${shape(schema.items)}`;
  if (schema.additionalProperties) return `{}${shape(schema.additionalProperties)}`;
  return schema.type + (schema.format ?? '');
}

function ownReferences(schema, context) {
  const pointed = { ...schema };
  const target = schema.$ref && `${context.pkg}.${shortName(schema.$ref)}`;
  if (target && packageOf(schema.$ref) === context.newer && context.messages[messageName(target)]) pointed.$ref = target;
  if (schema.items) pointed.items = ownReferences(schema.items, context);
  if (schema.additionalProperties) pointed.additionalProperties = ownReferences(schema.additionalProperties, context);
  return pointed;
}

function protobufType(type, message, context) {
  if (type.startsWith('[]')) return { type: 'array', items: protobufType(type.slice(2), message, context) };
  const [, value] = /^map<string,(.*)>$/.exec(type) ?? [];
  if (value) return { type: 'object', additionalProperties: protobufType(value, message, context) };
  if (wellKnown[type]) return wellKnown[type];
  const full = type.includes('.') ? type : `${packageOf(message)}.${type}`;
  const fields = context.messages[full.replace(/^\./, '')];
  const isList = shortName(full) === 'ExtraValue' && fields?.length === 1;
  return isList ? protobufType(fields[0][2], full, context) : { $ref: typeName(full) };
}
