import { formatCidr, formatTime } from '@tsukube/machinery';
import { type Announced, type AnnouncementContext, registryIn } from './announcement.ts';
import { keepObject } from './kept-object.ts';

const name = 'kubernetes';

/** The range of addresses that this server was started with, as an object. Which ranges there are besides is for others to say. */
export function defaultServiceCidr(context: AnnouncementContext): Announced {
  const registry = registryIn(context, 'networking.k8s.io', 'servicecidrs');
  const condition = () => ({
    type: 'Ready',
    status: 'True',
    lastTransitionTime: formatTime(context.now()),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  });
  const keeper = keepObject(
    {
      registry,
      namespace: '',
      name,
      complete: true,
      // A range that was chosen once stays: services have their addresses from it.
      wanted: (existing) =>
        existing ?? {
          kind: 'ServiceCIDR',
          apiVersion: 'networking.k8s.io/v1',
          metadata: { name },
          spec: { cidrs: context.serviceRanges.clusterIPs.map(formatCidr) },
          status: { conditions: [condition()] },
        },
    },
    context,
  );
  return keeper;
}
