import type { Resource } from '@tsukube/apiserver';
import { clusterRole } from './cluster-role.ts';
import { clusterRoleBinding } from './cluster-role-binding.ts';
import { role } from './role.ts';
import { roleBinding } from './role-binding.ts';

export const rbacResources: readonly Resource[] = [clusterRoleBinding, clusterRole, roleBinding, role];
