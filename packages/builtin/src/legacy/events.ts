import type { ServedVersion } from '@tsukube/apiserver';
import { eventsV1 } from '../core/events-v1.ts';
import { type LegacyConversion, legacyVersion } from './legacy-version.ts';

/** The same fields as events.k8s.io/v1. */
export const eventVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'events.k8s.io',
    type: 'events.v1beta1.Event',
    hub: 'core.v1.Event',
    hubGroup: '',
    deprecated: 22,
    removed: 25,
    conversion: eventsV1.converter as LegacyConversion,
    selectableFields: eventsV1.selectableFields,
    filterError: (error) => (error.field === 'reportingComponent' ? { ...error, field: 'reportingController' } : error),
  }),
];
