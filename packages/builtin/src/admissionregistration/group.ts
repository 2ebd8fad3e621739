import type { Strategy } from '@tsukube/apiserver';
import { metadataOf } from '@tsukube/machinery';

export const admissionGroup = 'admissionregistration.k8s.io';

const reservedSuffix = '.static.k8s.io';

/** What all kinds of this group do alike. */
export const commonStrategy: Strategy = {
  generation: true,
  allowUnconditionalUpdate: false,
  warnings: (object) =>
    String(metadataOf(object).name).endsWith(reservedSuffix)
      ? [
          `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
        ]
      : [],
};
