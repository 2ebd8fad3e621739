import { type JsonObject, mapIn, metadataOf, textIn } from '@tsukube/machinery';
import { type ApiAccess, expectSuccess } from '../access/api-access.ts';
import { type CertificateFiles, type CertificateStore, certificateFileNames } from './certificate-store.ts';

export interface CertificateSecret {
  readonly namespace: string;
  readonly name: string;
}

/** Certificates in a Secret of type `kubernetes.io/tls`. Its resourceVersion detects concurrent changes. */
export function secretStore(access: ApiAccess, { namespace, name }: CertificateSecret): CertificateStore {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  return {
    async load() {
      const { status, body } = await expectSuccess(access, { method: 'GET', path: `${path}/${encodeURIComponent(name)}` }, [404]);
      if (status === 404) return { files: new Map(), version: undefined };
      return { files: filesIn(body), version: metadataOf(body).resourceVersion };
    },
    async save(files, { version }) {
      const metadata: JsonObject = { name, namespace, ...(version !== undefined && { resourceVersion: version }) };
      const body = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data: encoded(files) };
      const isNew = version === undefined;
      const request = {
        method: isNew ? 'POST' : 'PUT',
        path: isNew ? path : `${path}/${encodeURIComponent(name)}`,
        body,
      } as const;
      const { status } = await expectSuccess(access, request, [409]);
      return status !== 409;
    },
  };
}

function filesIn(secret: JsonObject): CertificateFiles {
  const data = mapIn(secret, 'data');
  const present = certificateFileNames.map((name) => [name, textIn(data, name)] as const).filter(([, text]) => text !== '');
  return new Map(present.map(([name, text]) => [name, Buffer.from(text, 'base64').toString('utf8')]));
}

function encoded(files: CertificateFiles): JsonObject {
  return Object.fromEntries([...files].map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}
