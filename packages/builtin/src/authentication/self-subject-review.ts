import type { Resource } from '@tsukube/apiserver';
import { formatTime } from '@tsukube/machinery';
import { reviewResource } from '../common/review-resource.ts';
import { userInfo } from './user-info.ts';

/** Who am I? */
export const selfSubjectReview: Resource = reviewResource('authentication.k8s.io', 'SelfSubjectReview', (_object, request) => ({
  metadata: { creationTimestamp: formatTime(request.objects.services.now()) },
  status: { userInfo: userInfo(request.user) },
}));
