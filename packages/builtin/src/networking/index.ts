import type { Resource } from '@tsukube/apiserver';
import { ingress } from './ingress.ts';
import { ingressClass } from './ingress-class.ts';
import { ipAddress } from './ip-address.ts';
import { networkPolicy } from './network-policy.ts';
import { serviceCidr } from './service-cidr.ts';

export const networkingResources: readonly Resource[] = [ingress, ingressClass, networkPolicy, ipAddress, serviceCidr];
