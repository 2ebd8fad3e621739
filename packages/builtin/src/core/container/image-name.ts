const domainComponent = '[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*';
const host = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[[a-fA-F0-9:]+\\])`;
const pathComponent = '[a-z0-9]+(?:(?:\\.|__|_|-+)[a-z0-9]+)*';
const name = `${host}(?::[0-9]+)?/${pathComponent}(?:/${pathComponent})*`;
const tag = '[A-Za-z0-9_][A-Za-z0-9_.-]*';
const reference = new RegExp(`^(${name})(?::(${tag}))?(?:@(.+))?$`);
const digest = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const maxNameLength = 255;
const maxTagLength = 128;
const maxLength = 1_024;

/** Whether an image is pulled anew each time unless its owner says otherwise. */
export function isLatestImage(image: string): boolean {
  return image.length <= maxLength && tagOf(image) === 'latest';
}

/** The tag that an image names, `latest` if it names neither tag nor digest; undefined if it is not well-formed. */
function tagOf(image: string): string | undefined {
  const match = /^[a-f0-9]{64}$/.test(image) ? null : reference.exec(withDomain(image));
  if (match === null) return undefined;
  const [, name = '', tag, digestText] = match;
  if (name.length > maxNameLength || (tag !== undefined && tag.length > maxTagLength)) return undefined;
  if (digestText === undefined) return tag ?? 'latest';
  return digest.test(digestText) ? (tag ?? '') : undefined;
}

function withDomain(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  return isDomain ? image : `docker.io/${image}`;
}
