/** Cost per character of a string traversal. */
export const traversal = 0.1;
/** Cost factor per character of a regular expression. */
export const patternFactor = 0.25;
export const listCreation = 10;
export const mapCreation = 30;
export const structCreation = 40;
export const authorizationCheck = 350_000;
/** Functions with a fixed cost of 1. */
export const nominal: ReadonlySet<string> = new Set([
  ...['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason', 'error', 'errored'],
  ...['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast'],
  ...['isGlobalUnicast', 'format.named', 'sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan'],
  ...['compareTo', 'add', 'sub', 'major', 'minor', 'patch'],
  ...['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'],
]);
