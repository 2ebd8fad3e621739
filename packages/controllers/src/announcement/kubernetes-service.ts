import { deepEqual, formatAddress, type JsonObject } from '@tsukube/machinery';
import { type Announced, type AnnouncementContext, registryIn } from './announcement.ts';
import { keepObject } from './kept-object.ts';
import { keepEndpoints } from './kubernetes-endpoints.ts';

const service = { namespace: 'default', name: 'kubernetes' };

/** The service by which pods reach the servers, and where it leads. */
export function kubernetesService(context: AnnouncementContext): Announced {
  const registry = registryIn(context, '', 'services');
  const { nodePort, endpoints: endpointsKept } = context.kubernetesService;
  const type = nodePort === 0 ? 'ClusterIP' : 'NodePort';
  const port = {
    name: 'https',
    protocol: 'TCP',
    port: 443,
    targetPort: context.identity.port,
    ...(nodePort === 0 ? {} : { nodePort }),
  };
  // Defaults are those of the API; this object does not pass through it.
  const external: JsonObject = nodePort === 0 ? {} : { externalTrafficPolicy: 'Cluster' };
  const [range] = context.serviceRanges.clusterIPs;
  if (!range) throw new Error('there is no range for services');
  const created: JsonObject = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { ...service, labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: {
      type,
      ports: [port],
      clusterIP: formatAddress({ family: range.family, value: range.base + 1n }),
      sessionAffinity: 'None',
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      ...external,
    },
  };
  const wanted = (existing: JsonObject | undefined) =>
    existing ? withPort(existing, { type, ports: [port], ...external }) : created;
  const endpoints = endpointsKept ? keepEndpoints(context, service) : { stop() {} };
  const keeper = keepObject({ registry, ...service, wanted }, context);
  return {
    stop() {
      keeper.stop();
      endpoints.stop();
    },
  };
}

/** Type and ports belong to the server; everything else of an existing Service is left as it is. */
function withPort(existing: JsonObject, wanted: JsonObject): JsonObject {
  const { externalTrafficPolicy: _, ...spec } = existing.spec as JsonObject;
  if (spec.type === wanted.type && deepEqual(spec.ports, wanted.ports)) return existing;
  return { ...existing, spec: { ...spec, ...wanted } };
}
