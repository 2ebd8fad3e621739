import { fillIn, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { isLatestImage } from './image-name.ts';
import { roundRequirements } from './resource-list.ts';

/** The same for containers, init containers and ephemeral ones. */
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
