import { type Cidr, containsAddress, type FieldErrors, type FieldPath, parseAddress, parseCidr } from '@tsukube/machinery';

const special: readonly (readonly [string, readonly string[]])[] = [
  ['may not be in the loopback range (127.0.0.0/8, ::1/128)', ['127.0.0.0/8', '::1/128']],
  ['may not be in the link-local range (169.254.0.0/16, fe80::/10)', ['169.254.0.0/16', 'fe80::/10']],
  ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)', ['224.0.0.0/24', 'ff02::/16']],
];
const ranges = special.map(([message, texts]) => ({ message, cidrs: texts.map((text) => parseCidr(text) as Cidr) }));

/** An address that others can reach: none that means the host itself or the network it is in. */
export function validateEndpointIP(text: string, at: FieldPath, errors: FieldErrors): void {
  const address = parseAddress(text);
  if (!address) {
    errors.invalid(at, text, 'must be a valid IP address');
    return;
  }
  if (address.value === 0n) errors.invalid(at, text, `may not be unspecified (${text})`);
  for (const { message, cidrs } of ranges) {
    if (cidrs.some((cidr) => containsAddress(cidr, address))) errors.invalid(at, text, message);
  }
}
