import { X509Certificate } from 'node:crypto';
import { validateWebhookClient } from '@tsukube/apiserver';
import {
  certificateBlocks,
  type FieldErrors,
  isDNS1035Label,
  type JsonObject,
  objectIn,
  path,
  repeats,
  textIn,
  textsIn,
} from '@tsukube/machinery';

const at = path('spec', 'conversion');
const clientPath = at.child('webhookClientConfig');
const versionsPath = at.child('conversionReviewVersions');
const strategies = ['None', 'Webhook'];
const reviewVersions = ['v1', 'v1beta1'];
const onlyWebhooks = 'should not be set when strategy is not set to Webhook';

/** `requireBundle`: the CA bundle has to be valid. */
export function validateConversion(
  conversion: JsonObject,
  old: JsonObject | undefined,
  requireBundle: boolean,
  errors: FieldErrors,
): void {
  const strategy = textIn(conversion, 'strategy');
  if (strategy === '') errors.required(at.child('strategy'));
  else if (!strategies.includes(strategy)) errors.notSupported(at.child('strategy'), strategy, strategies);
  const webhook = objectIn(conversion, 'webhook');
  const versions = textsIn(webhook, 'conversionReviewVersions');
  const client = objectIn(webhook, 'clientConfig');
  if (strategy !== 'Webhook') {
    if (client) errors.forbidden(clientPath, onlyWebhooks);
    if (versions.length > 0) errors.forbidden(versionsPath, onlyWebhooks);
    return;
  }
  if (client) {
    validateWebhookClient(client, clientPath, errors);
    if (requireBundle) validateBundle(textIn(client, 'caBundle'), errors);
  } else errors.required(clientPath, 'required when strategy is set to Webhook');
  validateReviewVersions(versions, textsIn(objectIn(old, 'webhook'), 'conversionReviewVersions'), errors);
}

function validateBundle(bundle: string, errors: FieldErrors): void {
  if (bundle === '' || isCaBundle(bundle)) return;
  const message = 'unable to load root certificates: unable to parse bytes as PEM block';
  errors.invalid(clientPath.child('caBundle'), bundle, message);
}

/** Whether a base64 text is a PEM bundle of parseable certificates. */
export function isCaBundle(bundle: string): boolean {
  const pem = Buffer.from(bundle, 'base64').toString('latin1');
  const found = certificateBlocks(pem);
  return found.length > 0 && found.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

/** Ratcheting: a definition without any supported review version may be updated. */
function validateReviewVersions(versions: readonly string[], old: readonly string[], errors: FieldErrors): void {
  if (versions.length === 0) {
    errors.required(versionsPath);
    return;
  }
  const repeated = repeats(versions);
  for (const [i, version] of versions.entries()) {
    if (repeated[i]) errors.invalid(versionsPath.index(i), version, 'duplicate version');
    else for (const problem of isDNS1035Label(version)) errors.invalid(versionsPath.index(i), version, problem);
  }
  const hasSupported = (list: readonly string[]) => list.some((version) => reviewVersions.includes(version));
  if (!hasSupported(versions) && (old.length === 0 || hasSupported(old)))
    errors.invalid(versionsPath, [...versions], `must include at least one of ${reviewVersions.join(', ')}`);
}
