import type { JsonObject } from '@tsukube/machinery';

/** A parsed CustomResourceDefinition without its schemas, which are large and parsed on demand. */
export interface Definition {
  /** plural.group */
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly revision: number;
  readonly isDeleted: boolean;
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly preserveUnknownFields: boolean;
  readonly names: DefinitionNames;
  readonly conversion: Conversion;
  readonly versions: readonly DefinedVersion[];
  /** The name of the version in which objects are stored. */
  readonly storageVersion: string;
  readonly acceptedNames: DefinitionNames;
  readonly conditions: readonly Condition[];
  readonly storedVersions: readonly string[];
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly hasStatus: boolean;
  /** The schema has a default for the status, which is applied on read: creation drops the status. */
  readonly defaultsStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly DefinedColumn[];
  /** JSON paths. */
  readonly selectableFields: readonly string[];
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

export interface DefinedColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

export type Conversion = { readonly strategy: 'None' } | WebhookConversion;

export interface WebhookConversion {
  readonly strategy: 'Webhook';
  readonly clientConfig: JsonObject;
  readonly reviewVersions: readonly string[];
}

export interface Condition {
  readonly type: ConditionType;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string | undefined;
}

export type ConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'Terminating'
  | 'NonStructuralSchema'
  | 'KubernetesAPIApprovalPolicyConformant';

export function conditionOf(definition: Definition, type: ConditionType): Condition | undefined {
  return definition.conditions.find((condition) => condition.type === type);
}

export function isDefinitionConditionTrue(definition: Definition, type: ConditionType): boolean {
  return conditionOf(definition, type)?.status === 'True';
}

/** Objects are served once the names are accepted. */
export function servesObjects(definition: Definition): boolean {
  return isDefinitionConditionTrue(definition, 'NamesAccepted') || isDefinitionConditionTrue(definition, 'Established');
}

/** Holds a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
