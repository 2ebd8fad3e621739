import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';
import { type Identification, refused, type TokenAuthenticator } from './authenticator.ts';
import { commonAudiences } from './bearer-token.ts';

export interface TokenWebhookOptions {
  readonly version: 'v1' | 'v1beta1';
  readonly apiAudiences: readonly string[];
  /** Sends a TokenReview and resolves with the response. */
  readonly review: (review: JsonObject) => Promise<JsonObject>;
}

/** Authenticates tokens with a TokenReview webhook. */
export function webhookTokenAuthenticator({ version, apiAudiences, review }: TokenWebhookOptions): TokenAuthenticator {
  return async (token, asked) => {
    const spec: JsonObject = { token, ...(asked && { audiences: [...asked] }) };
    const question = {
      kind: 'TokenReview',
      apiVersion: `authentication.k8s.io/${version}`,
      metadata: {},
      spec,
      status: { user: {} },
    };
    let answer: JsonObject;
    try {
      answer = await review(question);
    } catch (error) {
      return refused((error as Error).message);
    }
    return identify(isObject(answer.status) ? answer.status : {}, asked, apiAudiences);
  };
}

/** A webhook without audience support authenticates for the API audiences. */
function identify(status: JsonObject, asked: readonly string[] | undefined, apiAudiences: readonly string[]): Identification {
  const named = textsIn(status.audiences);
  const audiences = asked && commonAudiences(asked, named.length > 0 ? named : apiAudiences);
  if (audiences?.length === 0) return undefined;
  if (status.authenticated !== true)
    return typeof status.error === 'string' && status.error !== '' ? refused(status.error) : undefined;
  const user = isObject(status.user) ? status.user : {};
  const extra = extraIn(user.extra);
  return {
    user: {
      name: typeof user.username === 'string' ? user.username : '',
      ...(typeof user.uid === 'string' && user.uid !== '' && { uid: user.uid }),
      groups: textsIn(user.groups),
      ...(extra && { extra }),
    },
    ...(audiences && { audiences }),
  };
}

function extraIn(value: JsonValue | undefined): Readonly<Record<string, readonly string[]>> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, values]) => [key, textsIn(values)]));
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as JsonValue[]).filter((each) => typeof each === 'string') : [];
}
