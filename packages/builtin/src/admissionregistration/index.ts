import type { Resource } from '@tsukube/apiserver';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.ts';
import { mutatingAdmissionPolicyBinding, validatingAdmissionPolicyBinding } from './policy-binding.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './webhook-configuration.ts';

export const admissionRegistrationResources: readonly Resource[] = [
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  validatingWebhookConfiguration,
];
