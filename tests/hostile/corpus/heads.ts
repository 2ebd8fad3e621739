import { configMaps, get, type LargeRequest, times } from './request.ts';

const query = (name: string, value: string) => `${configMaps}?${name}=${encodeURIComponent(value)}`;

/** Large request lines and headers. */
export const heads: readonly LargeRequest[] = [
  get('label selector: terms', 450, (n) => query('labelSelector', times(n, (i) => `k${i}!=v`).join(','))),
  get('label selector: values', 1_000, (n) => query('labelSelector', `k in (${times(n, (i) => `v${i}`).join(',')})`)),
  get('label selector: brackets', 20_000, (n) => query('labelSelector', 'a in ('.repeat(n / 10))),
  get('label selector: spaces', 50_000, (n) => query('labelSelector', `a${' '.repeat(n)}`)),
  get('field selector: terms', 450, (n) => query('fieldSelector', times(n, (i) => `metadata.name!=v${i}`).join(','))),
  get('field selector: escapes', 50_000, (n) => query('fieldSelector', `metadata.name=${'\\\\'.repeat(n)}`)),
  get('continue', 100_000, (n) => query('continue', 'a'.repeat(n))),
  get('resourceVersion', 100_000, (n) => query('resourceVersion', '1'.repeat(n))),
  get('limit', 100_000, (n) => query('limit', '1'.repeat(n))),
  get('timeout', 100_000, (n) => query('timeout', '1h'.repeat(n))),
  get('parameters', 5_000, (n) => `${configMaps}?${times(n, (i) => `p${i}=1`).join('&')}`),
  get('the same parameter', 10_000, (n) => `${configMaps}?${'limit=1&'.repeat(n)}`),
  get('percent signs', 30_000, (n) => `${configMaps}?a=${'%41'.repeat(n)}`),
  get('slashes', 100_000, (n) => `/api/v1/${'a/'.repeat(n)}`),
  get('slashes only', 100_000, (n) => `/${'/'.repeat(n)}`),
  get('dots', 100_000, (n) => `/api/${'../'.repeat(n / 3)}`),
  get(
    'header: accept',
    100,
    () => configMaps,
    (n) => ({ accept: 'application/json;q=0.1,'.repeat(n) }),
  ),
  get(
    'header: accept, long',
    100_000,
    () => configMaps,
    (n) => ({ accept: `application/${'a'.repeat(n)}` }),
  ),
  get(
    'header: accept, spaces',
    100_000,
    () => configMaps,
    (n) => ({ accept: `a/b${' '.repeat(n)};` }),
  ),
  get(
    'header: accept-encoding',
    20_000,
    () => configMaps,
    (n) => ({ 'accept-encoding': 'x;q=1,'.repeat(n) }),
  ),
  get(
    'header: user-agent',
    100_000,
    () => configMaps,
    (n) => ({ 'user-agent': 'a/'.repeat(n) }),
  ),
  get(
    'header: authorization',
    100_000,
    () => configMaps,
    (n) => ({ authorization: `Bearer ${'a.'.repeat(n)}` }),
  ),
  get(
    'header: impersonate-group',
    2_000,
    () => configMaps,
    (n) => ({ 'impersonate-user': 'u', 'impersonate-group': 'a'.repeat(n) }),
  ),
  get(
    'header: impersonate-extra',
    300,
    () => configMaps,
    (n) => ({ 'impersonate-user': 'u', ...Object.fromEntries(times(n, (i) => [`impersonate-extra-k${i}`, 'v'])) }),
  ),
  get(
    'header: x-forwarded-for',
    20_000,
    () => configMaps,
    (n) => ({ 'x-forwarded-for': '1.1.1.1,'.repeat(n) }),
  ),
  get(
    'header: cookie',
    100_000,
    () => configMaps,
    (n) => ({ cookie: 'a=b;'.repeat(n) }),
  ),
  get(
    'header: audit-id',
    100_000,
    () => configMaps,
    (n) => ({ 'audit-id': 'a'.repeat(n) }),
  ),
  get(
    'header: if-none-match',
    30_000,
    () => '/openapi/v2',
    (n) => ({ 'if-none-match': '"a",'.repeat(n) }),
  ),
  get(
    'header: content-type',
    100_000,
    () => configMaps,
    (n) => ({ 'content-type': `application/json;${'a=b;'.repeat(n / 4)}` }),
  ),
];
