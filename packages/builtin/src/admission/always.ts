import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission } from '@tsukube/apiserver';

/** AlwaysAdmit. Deprecated: it has no effect. */
export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit' };

function deny(attributes: AdmissionAttributes): never {
  throw forbiddenByAdmission(attributes, 'admission control is denying all modifications');
}

/** AlwaysDeny: rejects every write. */
export const alwaysDeny: AdmissionPlugin = { name: 'AlwaysDeny', mutate: deny, validate: deny };
