import type { Announced, Announcement, AnnouncementContext } from './announcement.ts';
import { authenticationConfigMap, tokenTrackingConfigMap } from './config-maps.ts';
import { identityLease } from './identity-lease.ts';
import { kubernetesService } from './kubernetes-service.ts';
import { defaultServiceCidr } from './service-cidr.ts';
import { serviceRepair } from './service-repair.ts';

export type { Announcement, AnnouncementContext, ServerIdentity } from './announcement.ts';

const announcements = {
  'start-kubernetes-service-cidr-controller': defaultServiceCidr,
  'bootstrap-controller': kubernetesService,
  'start-kube-apiserver-identity-lease-controller': identityLease,
  'start-cluster-authentication-info-controller': authenticationConfigMap,
  'start-legacy-token-tracking-controller': tokenTrackingConfigMap,
  'start-service-ip-repair-controllers': serviceRepair,
};

/** What a server that can be reached says of itself in objects, and keeps true; under kube-apiserver's names for it. */
export function announceServer(context: AnnouncementContext & { readonly delayMs: number }): readonly Announcement[] {
  return Object.entries(announcements).map(([name, announce]) => delayed(name, () => announce(context), context.delayMs));
}

function delayed(name: string, announce: () => Announced, delayMs: number): Announcement {
  let begun: Announced | undefined;
  const timer = setTimeout(() => {
    begun = announce();
  }, delayMs);
  return {
    name,
    check: () => begun?.check?.(),
    stop() {
      clearTimeout(timer.unref());
      begun?.stop();
    },
  };
}
