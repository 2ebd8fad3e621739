import type { FieldRequirement, LabelRequirement } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';

/** An access to a resource or to a non-resource path. */
export interface AccessAttributes {
  readonly user: User;
  /** get, list, watch, create …; for non-resource paths the method in lower case. */
  readonly verb: string;
  readonly isResource: boolean;
  /** These fields are empty for non-resource paths. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty if the access does not come from a request. */
  readonly path: string;
  /** Selectors of a list, watch or deletecollection. Undefined means all objects. */
  readonly fieldSelector?: SelectedBy<FieldRequirement>;
  readonly labelSelector?: SelectedBy<LabelRequirement>;
}

/**
 * All requirements must hold. Requirements that could not be parsed are left out, which only widens the access that is checked.
 */
export interface SelectedBy<Requirement> {
  readonly requirements: readonly Requirement[];
  readonly error?: string;
}

/** `deny` is final. With `no opinion` the next authorizer decides; without any opinion the access is denied. */
export type Decision = 'allow' | 'deny' | 'no opinion';

export interface Verdict {
  readonly decision: Decision;
  /** For humans; may be empty. */
  readonly reason: string;
  /** An evaluation error. Does not prevent an allowed access. */
  readonly error?: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface AccessRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly NonResourceRule[];
  /** Whether the list may lack rules. */
  readonly incomplete: boolean;
  readonly error?: string;
}

/** Authorizes requests, answers access reviews and is consulted by admission. */
export interface Authorizer {
  /** Synchronous where possible. Never throws: errors are part of the verdict. */
  authorize(access: AccessAttributes): Verdict | Promise<Verdict>;
  /** The rules of a user in a namespace, including cluster-scoped grants that apply to it. */
  rulesFor(user: User, namespace: string): AccessRules | Promise<AccessRules>;
}
