export { aesCbc, aesGcm, extendedNonceGcm, secretbox } from './ciphers.ts';
export { encryptedStore, type TransformerOf } from './encrypted-store.ts';
export { hashIfNotEmpty } from './kms-encrypted-object.ts';
export { type EnvelopeObserver, EnvelopeTransformer } from './kms-envelope.ts';
export { connectKmsPlugin, type KmsPlugin } from './kms-plugin.ts';
export { KmsProbe, type ProbeObserver } from './kms-probe.ts';
export {
  identityTransformer,
  type ObserveTransformation,
  type PrefixTransformer,
  PrefixTransformers,
  type Transformer,
} from './transformer.ts';
