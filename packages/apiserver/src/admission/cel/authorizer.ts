import { parseFieldSelector, parseLabelSelector } from '@tsukube/machinery';
import type { AuthorizerAnswer, AuthorizerQuestion, CelAuthorizer } from '@tsukube/machinery/cel';
import type { AccessAttributes, Authorizer, Verdict } from '../../authorization/authorizer.ts';
import { serviceAccountGroups } from '../../authorization/impersonation-modes.ts';
import { selectedBy } from '../../authorization/request-access.ts';
import type { User } from '../../http/api-request.ts';

/** Thrown by a check that has to wait. After `answered` the evaluation is repeated, and the check has its answer. */
export class AwaitsAuthorization extends Error {
  override readonly name = 'AwaitsAuthorization';
  readonly answered: Promise<void>;
  constructor(answered: Promise<void>) {
    super('the check waits for the authorizer');
    this.answered = answered;
  }
}

/** Answers of one request, by user and question: a check that is repeated has the same answer. */
type Answers = Map<string, AuthorizerAnswer>;

/** The authorizer of expressions, for one request. */
export class RequestAuthorizer implements CelAuthorizer {
  readonly #authorizer: Authorizer;
  readonly #user: User;
  readonly #answers: Answers;

  constructor(authorizer: Authorizer, user: User, answers: Answers = new Map()) {
    this.#authorizer = authorizer;
    this.#user = user;
    this.#answers = answers;
  }

  authorize(question: AuthorizerQuestion): AuthorizerAnswer {
    const key = JSON.stringify([this.#user.name, question]);
    const known = this.#answers.get(key);
    if (known) return known;
    const verdict = this.#authorizer.authorize(accessOf(question, this.#user));
    if (verdict instanceof Promise)
      throw new AwaitsAuthorization(verdict.then((late) => void this.#answers.set(key, answerOf(late))));
    const answer = answerOf(verdict);
    this.#answers.set(key, answer);
    return answer;
  }

  forServiceAccount(namespace: string, name: string): CelAuthorizer {
    const user = { name: `system:serviceaccount:${namespace}:${name}`, groups: serviceAccountGroups(namespace) };
    return new RequestAuthorizer(this.#authorizer, user, this.#answers);
  }
}

function answerOf({ decision, reason, error }: Verdict): AuthorizerAnswer {
  return { allowed: decision === 'allow', reason, ...(error !== undefined && { error }) };
}

const notAResource = { isResource: false, group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };

function accessOf(question: AuthorizerQuestion, user: User): AccessAttributes {
  if ('path' in question) return { ...notAResource, ...question, user };
  const { fieldSelector, labelSelector, ...resource } = question;
  const fields = selectedBy(fieldSelector, parseFieldSelector);
  const labels = selectedBy(labelSelector, parseLabelSelector);
  return {
    ...resource,
    ...(fields && { fieldSelector: fields }),
    ...(labels && { labelSelector: labels }),
    user,
    isResource: true,
    version: '*',
    path: '',
  };
}
