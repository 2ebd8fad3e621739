export { Base64Error, canonicalBase64 } from './base64.ts';
export { formatGoDuration, GoDurationError, goDurationMs, parseGoDuration } from './go-duration.ts';
export { goEscape, goQuote, goStringSlice } from './go-quote.ts';
export { type GoRegExp, GoRegExpError, goRegExp, goRegExpProblem } from './go-regexp.ts';
export { type GoTime, GoTimeError, parseGoTime, rfc3339, rfc3339Micro } from './go-time.ts';
export { GoIntError, goTypeText, goValueText, parseGoInt64 } from './go-value.ts';
export { aggregateMessage, trimBoth, trimRight } from './strings.ts';
export { unifiedDiff } from './unified-diff.ts';
export {
  certificateBlocks,
  type DerElement,
  derElements,
  insideDer,
  MalformedDer,
  type NameAttribute,
  nameAttributes,
  nameValues,
  readDistinguishedName,
} from './x509.ts';
