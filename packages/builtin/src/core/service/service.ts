import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { nameIsDNSLabel, objectIn, path, textIn, warningsForIP } from '@tsukube/machinery';
import { proxySubresource } from '../../common/proxy-subresource.ts';
import { schemaOf } from '../../common/schema.ts';
import { statusSubresource } from '../../common/status-subresource.ts';
import { dropTrafficPolicy, dropUnusedFields } from './allocated-fields.ts';
import { reserveForService } from './allocation.ts';
import { ingressOf, validateLoadBalancerStatus } from './load-balancer-status.ts';
import { releaseService } from './service-allocator.ts';
import { serviceColumns } from './service-columns.ts';
import { defaultService } from './service-defaults.ts';
import { proxyToService } from './service-proxy.ts';
import { defaultServiceRanges, type ServiceRanges } from './service-ranges.ts';
import { validateServiceChanges } from './service-update-validation.ts';
import { validateService } from './service-validation.ts';
import { serviceWarnings } from './service-warnings.ts';

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Service'),
  columns: serviceColumns,
  selectableFields: {
    'spec.clusterIP': (object) => textIn(objectIn(object, 'spec'), 'clusterIP'),
    'spec.type': (object) => textIn(objectIn(object, 'spec'), 'type'),
  },
};

/** Services get addresses and ports from ranges that they share. */
export function service(ranges: ServiceRanges = defaultServiceRanges): Resource {
  return {
    names: {
      plural: 'services',
      singular: 'service',
      kind: 'Service',
      listKind: 'ServiceList',
      shortNames: ['svc'],
      categories: ['all'],
    },
    scope: 'Namespaced',
    storagePrefix: '/registry/services/specs',
    hub: v1,
    versions: [v1],
    verbs: storedVerbs,
    subresources: {
      status: statusSubresource(validateLoadBalancerStatus, {
        reserve: undefined,
        warnings: (object) =>
          ingressOf(object).flatMap((point, i) =>
            warningsForIP(textIn(point, 'ip'), path('status', 'loadBalancer', 'ingress').index(i)),
          ),
      }),
      proxy: proxySubresource('ServiceProxyOptions', proxyToService),
    },
    strategy: {
      returnDeletedObject: true,
      allowCreateOnUpdate: true,
      validateName: nameIsDNSLabel,
      applyDefaults: defaultService,
      reserve: (object, old, objects, dryRun) => reserveForService(object, old, objects, ranges, dryRun),
      afterRemove: (object, objects) => releaseService(object, objects, ranges),
      prepareForCreate(object) {
        object.status = { loadBalancer: {} };
        dropTrafficPolicy(objectIn(object, 'spec') ?? {});
      },
      prepareForUpdate(object, old) {
        object.status = old.status ?? { loadBalancer: {} };
        const spec = objectIn(object, 'spec') ?? {};
        dropTrafficPolicy(spec);
        dropUnusedFields(spec, objectIn(old, 'spec') ?? {});
        if (spec.type !== 'LoadBalancer') object.status = { ...objectIn(object, 'status'), loadBalancer: {} };
      },
      validateCreate: (object, errors) => validateService(object, undefined, errors),
      validateUpdate(object, old, errors) {
        validateServiceChanges(objectIn(object, 'spec') ?? {}, objectIn(old, 'spec') ?? {}, errors);
        validateService(object, old, errors);
      },
      warnings: serviceWarnings,
    },
  };
}
