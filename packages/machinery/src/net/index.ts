export { type Address, type AddressFamily, formatAddress, parseAddress } from './address.ts';
export { type Cidr, containsAddress, formatCidr, lastOf, parseCidr, widthOf } from './cidr.ts';
export {
  validateCidr,
  validateIPAddress,
  validateLegacyCidr,
  validateLegacyIP,
  warningsForCidr,
  warningsForIP,
} from './validate.ts';
