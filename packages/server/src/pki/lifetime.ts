import type { X509Certificate } from 'node:crypto';

const day = 24 * 3_600_000;

export const authorityLifetime = 3653 * day;
export const leafLifetime = 365 * day;

/** Clocks of other machines may be behind ours. */
const skew = 5 * 60_000;

export function validity(now: Date, lifetime: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - skew), notAfter: new Date(now.getTime() + lifetime) };
}

/**
 * A third of the lifetime before the end: a server that is restarted a few times a year renews in time, and an authority
 * always outlives what it issues.
 */
export function isDue(certificate: X509Certificate, now: Date): boolean {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return now.getTime() < from || now.getTime() > to - (to - from) / 3;
}
