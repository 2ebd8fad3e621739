import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type ApiAccess, applyObject, deleteIfExists, expectSuccess } from '../access/api-access.ts';
import { type OwnService, servicePort } from './service-endpoint.ts';

/** A group version that this program serves. */
export interface RegisteredApi {
  readonly group: string;
  readonly version: string;
  /** Groups with a higher number come first in discovery. 1000 by default. */
  readonly groupPriorityMinimum?: number;
  /** Versions with a higher number come first within their group. 15 by default: the newest stable version comes first. */
  readonly versionPriority?: number;
}

export interface ApiServiceTarget {
  readonly service: OwnService;
  /** The port that this program listens on. */
  readonly port: number;
  /** PEM. */
  readonly ca: string;
}

export function apiServiceName({ group, version }: RegisteredApi): string {
  return `${version}.${group}`;
}

export async function applyApiServices(
  access: ApiAccess,
  apis: readonly RegisteredApi[],
  target: ApiServiceTarget,
  manager: string,
): Promise<void> {
  for (const api of apis) await applyObject(access, pathOf(api), apiService(api, target), manager);
}

export async function deleteApiServices(access: ApiAccess, apis: readonly RegisteredApi[]): Promise<void> {
  for (const api of apis) await deleteIfExists(access, pathOf(api));
}

/** Why an API is not available; undefined if it is. */
export async function unavailability(access: ApiAccess, api: RegisteredApi): Promise<string | undefined> {
  const { body } = await expectSuccess(access, { method: 'GET', path: pathOf(api) }, [404]);
  const conditions = objectsIn(objectIn(body, 'status'), 'conditions').filter(isObject);
  const available = conditions.find(({ type }) => type === 'Available');
  if (available?.status === 'True') return undefined;
  const reason = available ? `${textIn(available, 'reason')}: ${textIn(available, 'message')}` : 'it was not checked yet';
  return `${apiServiceName(api)}: ${reason}`;
}

function apiService(api: RegisteredApi, { service, port, ca }: ApiServiceTarget): JsonObject {
  const { group, version, groupPriorityMinimum = 1000, versionPriority = 15 } = api;
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiServiceName(api) },
    spec: {
      group,
      version,
      groupPriorityMinimum,
      versionPriority,
      service: { namespace: service.namespace, name: service.name, port: servicePort(service, port) },
      caBundle: Buffer.from(ca).toString('base64'),
    },
  };
}

function pathOf(api: RegisteredApi): string {
  return `/apis/apiregistration.k8s.io/v1/apiservices/${encodeURIComponent(apiServiceName(api))}`;
}
