import { type JsonObject, type JsonValue, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';

/** Specs as Go internal types, as Kubernetes prints them in errors. */
export function shownFlowSchemaSpec(spec: JsonObject): JsonObject {
  const method = objectIn(spec, 'distinguisherMethod');
  return {
    PriorityLevelConfiguration: named(objectIn(spec, 'priorityLevelConfiguration') ?? {}),
    MatchingPrecedence: numberIn(spec, 'matchingPrecedence'),
    DistinguisherMethod: method ? { Type: textIn(method, 'type') } : null,
    Rules: listed(spec, 'rules', shownRule),
  };
}

export function shownLevelSpec(spec: JsonObject): JsonObject {
  const [limited, exempt] = [objectIn(spec, 'limited'), objectIn(spec, 'exempt')];
  return {
    Type: textIn(spec, 'type'),
    Limited: limited ? shownLimited(limited) : null,
    Exempt: exempt
      ? {
          NominalConcurrencyShares: exempt.nominalConcurrencyShares ?? null,
          LendablePercent: exempt.lendablePercent ?? null,
        }
      : null,
  };
}

function shownLimited(limited: JsonObject): JsonObject {
  const response = objectIn(limited, 'limitResponse');
  const queuing = objectIn(response, 'queuing');
  return {
    NominalConcurrencyShares: numberIn(limited, 'nominalConcurrencyShares'),
    LimitResponse: { Type: textIn(response, 'type'), Queuing: queuing ? shownQueuing(queuing) : null },
    LendablePercent: limited.lendablePercent ?? null,
    BorrowingLimitPercent: limited.borrowingLimitPercent ?? null,
  };
}

function shownQueuing(queuing: JsonObject): JsonObject {
  return {
    Queues: numberIn(queuing, 'queues'),
    HandSize: numberIn(queuing, 'handSize'),
    QueueLengthLimit: numberIn(queuing, 'queueLengthLimit'),
  };
}

function shownRule(rule: JsonObject): JsonObject {
  return {
    Subjects: listed(rule, 'subjects', shownSubject),
    ResourceRules: listed(rule, 'resourceRules', (each) => ({
      Verbs: each.verbs ?? null,
      APIGroups: each.apiGroups ?? null,
      Resources: each.resources ?? null,
      ClusterScope: each.clusterScope ?? false,
      Namespaces: each.namespaces ?? null,
    })),
    NonResourceRules: listed(rule, 'nonResourceRules', (each) => ({
      Verbs: each.verbs ?? null,
      NonResourceURLs: each.nonResourceURLs ?? null,
    })),
  };
}

function shownSubject(subject: JsonObject): JsonObject {
  const [user, group, account] = ['user', 'group', 'serviceAccount'].map((field) => objectIn(subject, field));
  return {
    Kind: textIn(subject, 'kind'),
    User: user ? named(user) : null,
    Group: group ? named(group) : null,
    ServiceAccount: account ? { Namespace: textIn(account, 'namespace'), ...named(account) } : null,
  };
}

function named(owner: JsonObject): JsonObject {
  return { Name: textIn(owner, 'name') };
}

function listed(owner: JsonObject, field: string, show: (item: JsonObject) => JsonObject): JsonValue {
  return owner[field] ? objectsIn(owner, field).map(show) : null;
}
