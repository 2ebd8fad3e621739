import { X509Certificate } from 'node:crypto';

/** The authorities that are trusted now. A new object each time they change. */
export interface CertificatePool {
  readonly roots: readonly X509Certificate[];
}

/** Between which times a chain holds, or what is wrong with it. */
export type ChainVerdict = { readonly from: number; readonly until: number } | { readonly refused: string };

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
/** A chain that is longer leads nowhere anybody goes. */
const maxDepth = 8;

/** Follows what a client presented, its own certificate first, to one of the roots. Knows nothing of the time. */
export function verifyChain(presented: readonly Buffer[], { roots }: CertificatePool): ChainVerdict {
  try {
    const [leaf, ...intermediates] = presented.slice(0, maxDepth).map((der) => new X509Certificate(der));
    if (leaf === undefined) return { refused: 'no certificate' };
    if (!isForClients(leaf)) return { refused: 'x509: certificate specifies an incompatible key usage' };
    const chain = chainToRoot([leaf], intermediates, roots);
    return chain ? commonValidity(chain) : { refused: 'x509: certificate signed by unknown authority' };
  } catch (error) {
    return { refused: `x509: ${(error as Error).message}` };
  }
}

function isForClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(clientAuth) || keyUsage.includes(anyUsage);
}

function chainToRoot(
  chain: readonly X509Certificate[],
  intermediates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  const last = chain.at(-1) as X509Certificate;
  if (roots.some((root) => root.raw.equals(last.raw))) return chain;
  const root = roots.find((each) => isIssuer(each, last));
  if (root) return [...chain, root];
  if (chain.length >= maxDepth) return undefined;
  const next = intermediates.find((each) => each.ca && !chain.includes(each) && isIssuer(each, last));
  return next && chainToRoot([...chain, next], intermediates, roots);
}

function isIssuer(issuer: X509Certificate, issued: X509Certificate): boolean {
  return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}

function commonValidity(chain: readonly X509Certificate[]): ChainVerdict {
  return {
    from: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
    until: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  };
}
