import {
  ageColumn,
  defaultWebhookService,
  nameColumn,
  type Resource,
  type ServedVersion,
  type Strategy,
  storedVerbs,
} from '@tsukube/apiserver';
import { type JsonObject, objectIn, objectsIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { admissionGroup, commonStrategy } from './group.ts';
import { defaultMatching } from './policy-validation.ts';
import { defaultRules, rulesForNew, rulesForUpdate } from './rules.ts';
import { hasInvalidSelector, validateWebhooks } from './webhook-validation.ts';

export const validatingWebhookConfiguration: Resource = configuration('ValidatingWebhookConfiguration', defaultWebhook);

export const mutatingWebhookConfiguration: Resource = configuration('MutatingWebhookConfiguration', (hook) => {
  defaultWebhook(hook);
  hook.reinvocationPolicy ??= 'Never';
});

/** The kinds differ in one field of their webhooks. */
function configuration(kind: string, defaultHook: (hook: JsonObject) => void): Resource {
  const v1: ServedVersion = {
    group: admissionGroup,
    version: 'v1',
    schema: schemaOf(`admissionregistration.v1.${kind}`),
    columns: [
      nameColumn,
      {
        name: 'Webhooks',
        type: 'integer',
        description: 'Webhooks indicates the number of webhooks registered in this configuration',
        value: (object) => webhooksOf(object).length,
      },
      ageColumn,
    ],
  };
  const singular = kind.toLowerCase();
  return {
    names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List`, categories: ['api-extensions'] },
    scope: 'Cluster',
    storagePrefix: `/registry/${singular}s`,
    hub: v1,
    versions: [v1],
    verbs: storedVerbs,
    compilesTexts: true,
    strategy: strategy(defaultHook),
  };
}

function strategy(defaultHook: (hook: JsonObject) => void): Strategy {
  return {
    ...commonStrategy,
    applyDefaults: (object) => webhooksOf(object).forEach(defaultHook),
    validateCreate: (object, errors) => validateWebhooks(object, rulesForNew, errors),
    validateUpdate(object, old, errors) {
      const [hooks, before] = [webhooksOf(object), webhooksOf(old)];
      const allowInvalidValues = hasInvalidSelector(before);
      validateWebhooks(object, { ...rulesForUpdate(hooks, before), allowInvalidValues }, errors);
    },
  };
}

function webhooksOf(object: JsonObject): readonly JsonObject[] {
  return objectsIn(object, 'webhooks');
}

function defaultWebhook(hook: JsonObject): void {
  hook.failurePolicy ??= 'Fail';
  defaultMatching(hook);
  hook.timeoutSeconds ??= 10;
  defaultWebhookService(objectIn(hook, 'clientConfig'));
  defaultRules(hook, 'rules');
}
