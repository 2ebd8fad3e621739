import { formatAddress } from '../../net/address.ts';
import { AddressError, type ParsedAddress, type ParsedPrefix, parseAddr, parsePrefix } from '../../net/netip.ts';
import { goQuote } from '../../text/go-quote.ts';
import { boolType, type CelType, intType, opaqueType, stringType } from '../types/type.ts';
import { CelError, CelOpaque, type CelValue, noSuchOverload } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, memberOverload, type Overload } from './declarations.ts';

const ipType = opaqueType('net.IP');
const cidrType = opaqueType('net.CIDR');

class IPValue extends CelOpaque {
  readonly type = ipType;
  readonly address: ParsedAddress;
  override readonly costSize: number;
  constructor(address: ParsedAddress) {
    super();
    this.address = address;
    this.costSize = address.bits / 8;
  }
  equals(other: CelValue): CelValue {
    if (!(other instanceof IPValue)) return noSuchOverload;
    return other.address.bits === this.address.bits && other.address.value === this.address.value;
  }
  override text(): string {
    return addressText(this.address);
  }
}

class CIDRValue extends CelOpaque {
  readonly type = cidrType;
  readonly prefix: ParsedPrefix;
  override readonly costSize: number;
  constructor(prefix: ParsedPrefix) {
    super();
    this.prefix = prefix;
    this.costSize = Math.ceil(prefix.length / 8);
  }
  equals(other: CelValue): CelValue {
    return other instanceof CIDRValue ? other.text() === this.text() : noSuchOverload;
  }
  override text(): string {
    return `${addressText(this.prefix.address)}/${this.prefix.length}`;
  }
}

function addressText({ bits, value }: ParsedAddress): string {
  return formatAddress({ family: bits === 32 ? 'IPv4' : 'IPv6', value });
}

/** IPv4-mapped IPv6 addresses are rejected as ambiguous. */
function isMapped({ bits, value }: ParsedAddress): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

function readIP(text: string): CelValue {
  try {
    const address = parseAddr(text);
    if (address.zone !== '') return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
    return isMapped(address) ? mapped(text) : new IPValue(address);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${error.message}`);
  }
}

function mapped(text: string): CelError {
  return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
}

const cidrProblem = 'network address parse error during conversion from string: ';

function readCIDR(text: string): CelValue {
  try {
    const prefix = parsePrefix(text);
    return isMapped(prefix.address) ? new CelError(cidrProblem + mapped(text).message) : new CIDRValue(prefix);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(cidrProblem + cidrProblem + error.message);
  }
}

function masked({ address, length }: ParsedPrefix): ParsedPrefix {
  const rest = BigInt(address.bits - length);
  return { address: { ...address, value: (address.value >> rest) << rest }, length };
}

function containsIP(cidr: CelValue, ip: CelValue): CelValue {
  if (!(cidr instanceof CIDRValue) || !(ip instanceof IPValue)) return noSuchOverload;
  const { address, length } = cidr.prefix;
  if (address.bits !== ip.address.bits) return false;
  const rest = BigInt(address.bits - length);
  return address.value >> rest === ip.address.value >> rest;
}

function containsCIDR(cidr: CelValue, other: CelValue): CelValue {
  if (other instanceof CelError) return other;
  if (!(cidr instanceof CIDRValue) || !(other instanceof CIDRValue)) return noSuchOverload;
  return cidr.prefix.length <= other.prefix.length && containsIP(cidr, new IPValue(other.prefix.address));
}

type AddressTest = (value: bigint, bits: 32 | 128) => boolean;

const isLoopback: AddressTest = (value, bits) => (bits === 32 ? value >> 24n === 127n : value === 1n);
const isLinkLocalUnicast: AddressTest = (value, bits) => (bits === 32 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan);
const isLinkLocalMulticast: AddressTest = (value, bits) =>
  bits === 32 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n;
const isMulticast: AddressTest = (value, bits) => (bits === 32 ? value >> 28n === 0xen : value >> 120n === 0xffn);
const isGlobalUnicast: AddressTest = (value, bits) =>
  value !== 0n &&
  !(bits === 32 && value === 0xffff_ffffn) &&
  !isLoopback(value, bits) &&
  !isMulticast(value, bits) &&
  !isLinkLocalUnicast(value, bits);

function addressTest(id: string, test: AddressTest): Overload {
  return memberOverload(id, [ipType], boolType, (ip: IPValue) => test(ip.address.value, ip.address.bits));
}

function fromText(id: string, result: CelType, call: (text: string) => CelValue): Overload {
  return globalOverload(id, [stringType], result, call);
}

function canonical(text: string): CelValue {
  const ip = readIP(text);
  return ip instanceof IPValue ? ip.text() === text : ip;
}

/** IP addresses and CIDRs. */
export const networkLibrary: CelLibrary = {
  types: [ipType, cidrType],
  functions: [
    declare(
      'ip',
      fromText('string_to_ip', ipType, readIP),
      memberOverload('cidr_ip', [cidrType], ipType, (cidr: CIDRValue) => new IPValue(cidr.prefix.address)),
    ),
    declare(
      'isIP',
      fromText('is_ip', boolType, (text) => readIP(text) instanceof IPValue),
    ),
    declare('ip.isCanonical', fromText('ip_is_canonical', boolType, canonical)),
    declare(
      'family',
      memberOverload('ip_family', [ipType], intType, (ip: IPValue) => (ip.address.bits === 32 ? 4 : 6)),
    ),
    declare(
      'isUnspecified',
      addressTest('ip_is_unspecified', (value) => value === 0n),
    ),
    declare('isLoopback', addressTest('ip_is_loopback', isLoopback)),
    declare('isLinkLocalMulticast', addressTest('ip_is_link_local_multicast', isLinkLocalMulticast)),
    declare('isLinkLocalUnicast', addressTest('ip_is_link_local_unicast', isLinkLocalUnicast)),
    declare('isGlobalUnicast', addressTest('ip_is_global_unicast', isGlobalUnicast)),
    declare(
      'string',
      globalOverload('ip_to_string', [ipType], stringType, (ip: IPValue) => ip.text()),
      globalOverload('cidr_to_string', [cidrType], stringType, (cidr: CIDRValue) => cidr.text()),
    ),
    declare('cidr', fromText('string_to_cidr', cidrType, readCIDR)),
    declare(
      'isCIDR',
      fromText('is_cidr', boolType, (text) => readCIDR(text) instanceof CIDRValue),
    ),
    declare(
      'containsIP',
      memberOverload('cidr_contains_ip_string', [cidrType, stringType], boolType, (cidr: CelValue, text: string) =>
        containsIP(cidr, readIP(text)),
      ),
      memberOverload('cidr_contains_ip_ip', [cidrType, ipType], boolType, containsIP),
    ),
    declare(
      'containsCIDR',
      memberOverload('cidr_contains_cidr_string', [cidrType, stringType], boolType, (cidr: CelValue, text: string) =>
        containsCIDR(cidr, readCIDR(text)),
      ),
      memberOverload('cidr_contains_cidr', [cidrType, cidrType], boolType, containsCIDR),
    ),
    declare(
      'prefixLength',
      memberOverload('cidr_prefix_length', [cidrType], intType, (cidr: CIDRValue) => cidr.prefix.length),
    ),
    declare(
      'masked',
      memberOverload('cidr_masked', [cidrType], cidrType, (cidr: CIDRValue) => new CIDRValue(masked(cidr.prefix))),
    ),
  ],
};
