export type {
  AdmissionOperation,
  AgeCell,
  Authenticator,
  Authorizer,
  CellValue,
  HealthCheck,
  Logger,
  User,
} from '@tsukube/apiserver';
export { alwaysAllow } from '@tsukube/apiserver';
export { KubeconfigError } from '@tsukube/client';
export type { ScalePaths } from '@tsukube/crds';
export {
  canonicalQuantity,
  FieldErrors,
  formatGoDuration,
  formatQuantity,
  goDurationMs,
  type LabelRequirement,
  type LabelSelector,
  parseLabelSelector,
  parseQuantity,
  path,
  type Quantity,
  QuantityError,
  type Status,
  StatusError,
} from '@tsukube/machinery';
export type { EtcdTls } from '@tsukube/storage/etcd';
export { ApiRefusal } from './access/api-access.ts';
export type { MainServerOptions } from './access/main-server.ts';
export type { CertificatePlace } from './certificates/certificate-source.ts';
export type { CertificateSecret } from './certificates/secret-store.ts';
export type { ServingCertificates } from './certificates/serving-certificates.ts';
export {
  type DelegatedAuthentication,
  type DelegatedAuthenticationOptions,
  delegatedAuthentication,
} from './delegation/delegated-authentication.ts';
export {
  type DelegatedAuthorization,
  type DelegatedAuthorizationOptions,
  delegatedAuthorization,
} from './delegation/delegated-authorization.ts';
export { type LineLoggerOptions, lineLogger } from './program/line-logger.ts';
export { type Closable, runProgram } from './program/run-program.ts';
export type { RegisteredApi } from './register/api-services.ts';
export { type ApiRegistration, type RegisteredService, type RegisterOptions, register } from './register/register.ts';
export type { TableColumn } from './resource/columns.ts';
export {
  type DefinedResource,
  defineResource,
  type OtherVersion,
  type ResourceObject,
  type ResourceOptions,
} from './resource/define-resource.ts';
export type { ResourceStrategy } from './resource/strategy.ts';
export type {
  FieldsOf,
  JsonSchema,
  ObjectOfSchema,
  ResourceMeta,
  ResourceSchema,
  StandardSchema,
} from './schema/schema-types.ts';
export { SchemaError } from './schema/structural-schema.ts';
export type { ServerAuthentication, ServerAuthorization } from './server/access.ts';
export type { RenewedCertificate, ServingCertificate } from './server/certificates.ts';
export type { ApiServerOptions, StorageChoice } from './server/options.ts';
export type { PathHandler, PathRequest } from './server/path-handler.ts';
export { type RunningApiServer, serve } from './server/serve.ts';
export { type AggregatedApiServer, type AggregatedOptions, serveAggregated } from './server/serve-aggregated.ts';
export * from './storage/object-storage.ts';
export { SubresourceResponse, type SubresourceResult } from './subresource/result.ts';
export type { SubresourceHandler, SubresourceHandlers, UpgradeHandler, WebSocketHandler } from './subresource/subresource.ts';
export type { MutateFn, SubresourceRequest } from './subresource/subresource-request.ts';
export type { ServeWebhooksOptions, WebhookServer, WebhookService } from './webhook/serve-options.ts';
export { serveWebhooks } from './webhook/serve-webhooks.ts';
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
export type { RequestUser, WebhookRequest } from './webhook/webhook-request.ts';
