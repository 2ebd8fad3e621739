export { KubeconfigError } from '@tsukube/client';
export { ApiRefusal } from './access/api-access.ts';
export type { CertificateSecret } from './certificates/secret-store.ts';
export type { WebhookCertificates } from './certificates/webhook-certificates.ts';
export type { ServeWebhooksOptions, WebhookServer } from './webhook/serve-options.ts';
export { serveWebhooks } from './webhook/serve-webhooks.ts';
export type { WebhookService } from './webhook/service.ts';
export {
  type AdmissionWebhook,
  type MutatingHandler,
  type MutatingMatch,
  mutate,
  type ObjectOf,
  type Resources,
  type ValidatingHandler,
  validate,
  type WebhookMatch,
} from './webhook/webhook.ts';
export type { AdmissionOperation, RequestUser, WebhookRequest } from './webhook/webhook-request.ts';
