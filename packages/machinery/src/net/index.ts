export {
  type Address,
  type AddressFamily,
  type Cidr,
  containsAddress,
  formatAddress,
  formatCidr,
  lastOf,
  parseAddress,
  parseCidr,
  widthOf,
} from './address.ts';
export {
  validateCidr,
  validateIPAddress,
  validateLegacyCidr,
  validateLegacyIP,
  warningsForCidr,
  warningsForIP,
} from './validate.ts';
