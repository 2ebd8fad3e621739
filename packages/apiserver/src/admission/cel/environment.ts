import {
  authorizerType,
  type CelType,
  createEnvironment,
  dynType,
  type Environment,
  resourceCheckType,
} from '@tsukube/machinery/cel';
import { namespaceType, requestType } from './types.ts';

/** Variables and types that only some expressions have. */
export interface EnvironmentFeatures {
  /** The variable `params`. */
  readonly params: boolean;
  /** The variables `authorizer` and `authorizer.requestResource`. */
  readonly authorizer: boolean;
  /** `Object{…}` and `JSONPatch{…}`. */
  readonly mutation?: boolean;
  /** The type of `variables`, if the expressions can be composed of others. */
  readonly variables?: CelType;
  /** The types of the objects; dyn if unknown. */
  readonly object?: CelType;
  readonly paramsType?: CelType;
}

/** The environment of expressions in policies and match conditions. */
export function admissionEnvironment(features: EnvironmentFeatures): Environment {
  const { params, authorizer, mutation = false, variables, object = dynType, paramsType = dynType } = features;
  return createEnvironment({
    mutation,
    variables: {
      object,
      oldObject: object,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params && { params: paramsType }),
      ...(authorizer && { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType }),
      ...(variables && { variables }),
    },
  });
}

const conditions: { environment?: Environment } = {};

/** The environment of match conditions of webhooks. */
export function webhookEnvironment(): Environment {
  conditions.environment ??= admissionEnvironment({ params: false, authorizer: true });
  return conditions.environment;
}
