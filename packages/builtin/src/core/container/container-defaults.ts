import { fillIn, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { roundRequirements } from './resource-requirements.ts';

/** Defaults of containers, init containers and ephemeral containers. */
export function defaultContainer(container: JsonObject): void {
  fillIn(container, 'imagePullPolicy', isLatestImage(textIn(container, 'image')) ? 'Always' : 'IfNotPresent');
  fillIn(container, 'terminationMessagePath', '/dev/termination-log');
  fillIn(container, 'terminationMessagePolicy', 'File');
  for (const port of objectsIn(container, 'ports')) fillIn(port, 'protocol', 'TCP');
  for (const variable of objectsIn(container, 'env')) defaultEnvSource(objectIn(variable, 'valueFrom'));
  container.resources ??= {};
  roundRequirements(objectIn(container, 'resources'));
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(objectIn(container, probe));
  const lifecycle = objectIn(container, 'lifecycle');
  for (const hook of ['postStart', 'preStop']) defaultHttpGet(objectIn(objectIn(lifecycle, hook), 'httpGet'));
}

function defaultEnvSource(source: JsonObject | undefined): void {
  defaultFieldRef(objectIn(source, 'fieldRef'));
  const file = objectIn(source, 'fileKeyRef');
  if (file) file.optional ??= false;
}

export function defaultFieldRef(fieldRef: JsonObject | undefined): void {
  if (fieldRef) fillIn(fieldRef, 'apiVersion', 'v1');
}

function defaultProbe(probe: JsonObject | undefined): void {
  if (!probe) return;
  fillIn(probe, 'timeoutSeconds', 1);
  fillIn(probe, 'periodSeconds', 10);
  fillIn(probe, 'successThreshold', 1);
  fillIn(probe, 'failureThreshold', 3);
  defaultHttpGet(objectIn(probe, 'httpGet'));
  const grpc = objectIn(probe, 'grpc');
  if (grpc) grpc.service ??= '';
}

function defaultHttpGet(action: JsonObject | undefined): void {
  if (!action) return;
  fillIn(action, 'path', '/');
  fillIn(action, 'scheme', 'HTTP');
}

const domainComponent = '[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*';
const host = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[[a-fA-F0-9:]+\\])`;
const pathComponent = '[a-z0-9]+(?:(?:\\.|__|_|-+)[a-z0-9]+)*';
const name = `${host}(?::[0-9]+)?/${pathComponent}(?:/${pathComponent})*`;
const tag = '[A-Za-z0-9_][A-Za-z0-9_.-]*';
const reference = new RegExp(`^(${name})(?::(${tag}))?(?:@(.+))?$`);
const digest = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const maxNameLength = 255;
const maxTagLength = 128;
const maxLength = 1_024;

/** Whether the tag is `latest`, for which imagePullPolicy defaults to Always. */
export function isLatestImage(image: string): boolean {
  return image.length <= maxLength && tagOf(image) === 'latest';
}

/** The tag of an image reference, `latest` if there is neither tag nor digest; undefined if it is malformed. */
function tagOf(image: string): string | undefined {
  const match = /^[a-f0-9]{64}$/.test(image) ? null : reference.exec(withDomain(image));
  if (match === null) return undefined;
  const [, name = '', tag, digestText] = match;
  if (name.length > maxNameLength || (tag !== undefined && tag.length > maxTagLength)) return undefined;
  if (digestText === undefined) return tag ?? 'latest';
  return digest.test(digestText) ? (tag ?? '') : undefined;
}

function withDomain(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  return isDomain ? image : `docker.io/${image}`;
}
