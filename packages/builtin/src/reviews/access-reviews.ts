import {
  type AccessAttributes,
  type AccessRules,
  type Authorizer,
  type Resource,
  type ResourceRule,
  type Review,
  reviewVerbs,
  type ServedVersion,
  type User,
  type Verdict,
} from '@tsukube/apiserver';
import { type JsonObject, objectIn, StatusError, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { accessIn, subjectIn } from './access-attributes.ts';
import { validateAccessReview } from './access-validation.ts';

const group = 'authorization.k8s.io';

/** SubjectAccessReview. */
export function subjectAccessReview(authorizer: Authorizer): Resource {
  return reviewResource(group, 'SubjectAccessReview', async (object, _request, validate) => {
    validateAccessReview(object, { subject: true, local: false });
    await validate();
    return decided(object, subjectIn(specOf(object)), authorizer);
  });
}

/** LocalSubjectAccessReview. */
export function localSubjectAccessReview(authorizer: Authorizer): Resource {
  const review: Review = async (object, _request, validate) => {
    validateAccessReview(object, { subject: true, local: true });
    await validate();
    return decided(object, subjectIn(specOf(object)), authorizer);
  };
  return reviewResource(group, 'LocalSubjectAccessReview', review, 'Namespaced');
}

/** SelfSubjectAccessReview. */
export function selfSubjectAccessReview(authorizer: Authorizer): Resource {
  return reviewResource(group, 'SelfSubjectAccessReview', async (object, { user }, validate) => {
    validateAccessReview(object, { subject: false, local: false });
    await validate();
    return decided(object, user, authorizer);
  });
}

/** SelfSubjectRulesReview. */
export function selfSubjectRulesReview(authorizer: Authorizer): Resource {
  return reviewResource(group, 'SelfSubjectRulesReview', async (object, { user }, validate) => {
    const namespace = textIn(specOf(object), 'namespace');
    if (namespace === '') throw StatusError.badRequest('no namespace on request');
    await validate();
    // The answer has an empty spec, as in Kubernetes.
    return { metadata: {}, spec: {}, status: shownRules(await authorizer.rulesFor(user, namespace)) };
  });
}

function specOf(object: JsonObject): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

async function decided(object: JsonObject, user: User, authorizer: Authorizer): Promise<JsonObject> {
  const access = accessIn(specOf(object), user);
  return { ...object, status: shown(await authorizer.authorize(access), access) };
}

function shown({ decision, reason, error }: Verdict, access: AccessAttributes): JsonObject {
  const problems = evaluationProblems(error, access);
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(problems !== '' && { evaluationError: problems }),
  };
}

function evaluationProblems(error: string | undefined, { fieldSelector, labelSelector }: AccessAttributes): string {
  const problems = error === undefined ? [] : [error];
  for (const [name, selector] of Object.entries({ fieldSelector, labelSelector })) {
    if (selector?.error === undefined) continue;
    const ignored = selector.requirements.length > 0 ? 'partially ignored' : 'ignored';
    problems.push(`spec.resourceAttributes.${name} ${ignored} due to parse error`);
  }
  return problems.join('; ');
}

function shownRules({ resourceRules, pathRules, incomplete, error }: AccessRules): JsonObject {
  return {
    resourceRules: resourceRules.map(shownRule),
    nonResourceRules: pathRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      nonResourceURLs: [...nonResourceURLs],
    })),
    incomplete,
    ...(error !== undefined && { evaluationError: error }),
  };
}

function shownRule({ verbs, apiGroups, resources, resourceNames = [] }: ResourceRule): JsonObject {
  return {
    verbs: [...verbs],
    apiGroups: [...apiGroups],
    resources: [...resources],
    ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
  };
}

/** The reviews use the authorizer of the server. */
export function authorizationResources(authorizer: Authorizer): readonly Resource[] {
  return [
    localSubjectAccessReview(authorizer),
    selfSubjectAccessReview(authorizer),
    selfSubjectRulesReview(authorizer),
    subjectAccessReview(authorizer),
  ];
}

/** A virtual kind that only has create: the response is the review with its status filled in. Never stored. */
export function reviewResource(group: string, kind: string, review: Review, scope: Resource['scope'] = 'Cluster'): Resource {
  const type = `${group.split('.')[0]}.v1.${kind}`;
  const v1: ServedVersion = { group, version: 'v1', schema: schemaOf(type) };
  const singular = kind.toLowerCase();
  return {
    names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
    scope,
    storagePrefix: '',
    hub: v1,
    versions: [v1],
    verbs: reviewVerbs(review),
    strategy: {},
  };
}
