/** Bits of the extension KeyUsage. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

/** Object identifiers of extended key usages, in the order in which Go writes them. */
const extendedKeyUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** The usages of a certificate by the names of the API, which validates them. */
export function usesOf(usages: readonly string[]): { keyUsages: readonly number[]; extendedKeyUsages: readonly string[] } {
  const extended = Object.entries(extendedKeyUsages).filter(([name]) => usages.includes(name));
  return {
    keyUsages: usages.flatMap((name) => keyUsages[name] ?? []),
    extendedKeyUsages: [...new Set(extended.map(([, id]) => id))],
  };
}
