export { Base64Error, canonicalBase64 } from './base64.ts';
export { formatGoDuration, GoDurationError, goDurationMs, parseGoDuration } from './go-duration.ts';
export { GoIntError, parseGoInt64 } from './go-int.ts';
export { goEscape, goQuote, goStringSlice } from './go-quote.ts';
export { type GoRegExp, GoRegExpError, goRegExp, goRegExpProblem } from './go-regexp.ts';
export type { GoTime } from './go-time.ts';
export { GoTimeError, parseGoTime, rfc3339, rfc3339Micro } from './go-time.ts';
export { goTypeText, goValueText } from './go-value.ts';
export { unifiedDiff } from './unified-diff.ts';
