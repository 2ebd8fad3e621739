import type { Resource } from '@tsukube/apiserver';
import { certificateSigningRequest } from './certificate-signing-request.ts';

export const certificatesResources: readonly Resource[] = [certificateSigningRequest];
