import type { FieldRequirement, LabelRequirement } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';

/** Something that somebody wants to do: to a resource, or to a path that is none. */
export interface AccessAttributes {
  readonly user: User;
  /** get, list, watch, create …; for paths the method in lower case. */
  readonly verb: string;
  readonly isResource: boolean;
  /** What follows is empty for paths. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty where a resource is asked about without a request. */
  readonly path: string;
  /** What a list, watch or deletecollection is limited to. Undefined: no selector, which is more than any selector gives. */
  readonly fieldSelector?: SelectedBy<FieldRequirement>;
  readonly labelSelector?: SelectedBy<LabelRequirement>;
}

/** Requirements are all to be met: those that were not understood may be left out, which asks for more and not for less. */
export interface SelectedBy<Requirement> {
  readonly requirements: readonly Requirement[];
  readonly error?: string;
}

/** `deny` ends the matter; with `no opinion` the next authorizer is asked, and if nobody has one, it is refused. */
export type Decision = 'allow' | 'deny' | 'no opinion';

export interface Verdict {
  readonly decision: Decision;
  /** For people; may be empty. */
  readonly reason: string;
  /** What went wrong on the way. A request that is allowed all the same goes on. */
  readonly error?: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface AccessRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly PathRule[];
  /** Whether there may be more than could be found out. */
  readonly incomplete: boolean;
  readonly error?: string;
}

/** Decides who may do what. The same one judges requests, answers access reviews and is asked by admission. */
export interface Authorizer {
  /** Answers at once where it can. Never throws: what fails is told in the verdict. */
  authorize(access: AccessAttributes): Verdict | Promise<Verdict>;
  /** What a user may do in a namespace, and outside namespaces as far as it reaches into it. */
  rulesFor(user: User, namespace: string): AccessRules | Promise<AccessRules>;
}
