import { type DerElement, derElements, insideDer, type NameAttribute } from '@tsukube/machinery';
import { der } from '@tsukube/machinery/pki';

const [sequenceTag, setTag, octetStringTag, attributesTag] = [0x30, 0x31, 0x04, 0xa0];
/** The attribute extensionRequest of PKCS#9, and the extension subjectAltName, as hex content of their object identifiers. */
const [extensionRequest, subjectAltName] = ['2a864886f70d01090e', '551d11'];

/** Subject alternative names of a request: the general names in DER form. */
export interface AlternativeNames {
  readonly dns: readonly Buffer[];
  readonly email: readonly Buffer[];
  readonly ip: readonly Buffer[];
  readonly uri: readonly Buffer[];
}

const generalNameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** General names of other types are left out, as by Go. Throws MalformedDer. */
export function alternativeNames(attributes: DerElement | undefined): AlternativeNames {
  const names = requestedExtensions(attributes).flatMap((extension) => {
    const [id, ...rest] = insideDer(extension, sequenceTag);
    if (id?.content.toString('hex') !== subjectAltName) return [];
    const value = rest.at(-1);
    if (value?.tag !== octetStringTag) return [];
    return insideDer(derElements(value.content)[0], sequenceTag);
  });
  const ofType = (tag: number) => names.filter((name) => name.tag === tag).map(({ bytes }) => bytes);
  const { email, dns, uri, ip } = generalNameTags;
  return { dns: ofType(dns), email: ofType(email), ip: ofType(ip), uri: ofType(uri) };
}

function requestedExtensions(attributes: DerElement | undefined): readonly DerElement[] {
  if (attributes === undefined) return [];
  return insideDer(attributes, attributesTag).flatMap((attribute) => {
    const [type, values] = insideDer(attribute, sequenceTag);
    if (type?.content.toString('hex') !== extensionRequest) return [];
    return insideDer(values, setTag).flatMap((extensions) => insideDer(extensions, sequenceTag));
  });
}

/** country, organization, organizational unit, locality, province, street, postal code, common name, serial number. */
const knownAttributes = ['550406', '55040a', '55040b', '550407', '550408', '550409', '550411', '550403', '550405'];
/** Common name and serial number: the last one counts. */
const singleAttributes = ['550403', '550405'];

/**
 * The subject of a certificate: the attributes that Go supports, one relative name for each type. Others are left out, because some
 * have a meaning for the API server, such as the uid of a user.
 */
export function certificateName(attributes: readonly NameAttribute[]): Buffer {
  const relativeNames = knownAttributes.flatMap((type) => {
    const all = attributes.filter((attribute) => attribute.type === type);
    const values = singleAttributes.includes(type) ? all.slice(-1) : all;
    return values.length > 0 ? [der.set(...values.map(encodedAttribute).sort(Buffer.compare))] : [];
  });
  return der.sequence(...relativeNames);
}

function encodedAttribute({ type, value }: NameAttribute): Buffer {
  const content = Buffer.from(type, 'hex');
  return der.sequence(Buffer.concat([Buffer.from([0x06, content.length]), content]), value.bytes);
}
