import {
  type Feed,
  type Logger,
  type ObjectRegistry,
  type RegistryServices,
  type Resource,
  type ShutdownNotice,
  serviceResolver,
} from '@tsukube/apiserver';
import { type CustomApi, openCustomApi } from '@tsukube/crds';
import type { Store } from '@tsukube/storage';
import type { ServeOptions } from '../config/index.ts';

export interface CustomApiNeeds {
  readonly resources: readonly Resource[];
  readonly registryOf: (resource: Resource) => ObjectRegistry;
  readonly services: RegistryServices;
  readonly store: Store;
  readonly feed: Feed;
  readonly shutdown: ShutdownNotice;
  readonly options: ServeOptions;
  readonly logger: Logger;
}

/** Serves custom resources; undefined if CustomResourceDefinitions are disabled. */
export function customApi({ resources, registryOf, options, ...parts }: CustomApiNeeds): CustomApi | undefined {
  const definition = resources.find(({ names }) => names.plural === 'customresourcedefinitions');
  if (!definition) return undefined;
  return openCustomApi({
    ...parts,
    definitions: registryOf(definition),
    prefix: options.etcdPrefix,
    resolveService: serviceResolver((group, name) => {
      const found = resources.find(({ names, hub }) => names.plural === name && hub.group === group);
      return found && registryOf(found).cache;
    }),
  });
}

/** Built-in and custom resources, cached until CRDs change. Of resources that share objects, the stored one is first. */
export function resourcesNow(resources: readonly Resource[], custom: CustomApi | undefined): () => readonly Resource[] {
  let known: readonly Resource[] | undefined;
  custom?.onChange(() => {
    known = undefined;
  });
  return () => {
    // CRDs may take long to read, and are not needed before the start.
    if (!custom?.isStarted) return resources;
    known ??= [...resources, ...custom.stored(), ...custom.resources()];
    return known;
  };
}
