import { formatAddress, type JsonObject } from '@tsukube/machinery';
import { type Announced, type AnnouncementContext, registryIn } from './announcement.ts';
import { keepObject } from './kept-object.ts';
import { keepEndpoints } from './kubernetes-endpoints.ts';

const service = { namespace: 'default', name: 'kubernetes' };

/** The service by which pods reach the servers, and where it leads. */
export function kubernetesService(context: AnnouncementContext): Announced {
  const registry = registryIn(context, '', 'services');
  const port = { name: 'https', protocol: 'TCP', port: 443, targetPort: context.identity.port };
  const [range] = context.serviceRanges.clusterIPs;
  if (!range) throw new Error('there is no range for services');
  const created: JsonObject = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { ...service, labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: {
      type: 'ClusterIP',
      ports: [port],
      clusterIP: formatAddress({ family: range.family, value: range.base + 1n }),
      sessionAffinity: 'None',
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
  };
  const endpoints = keepEndpoints(context, service);
  const keeper = keepObject({ registry, ...service, wanted: (existing) => existing ?? created }, context);
  return {
    stop() {
      keeper.stop();
      endpoints.stop();
    },
  };
}
