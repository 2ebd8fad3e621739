import type { JsonValue } from '@tsukube/machinery';

const numbers = [0, 1, -1, 0.5, 1e308, 65536, 2147483647, 2147483648, -2147483649, 9007199254740993n, 9223372036854775807n];
const quantities = '1 -1 1.5 1e3 1E 10Gi 100m 1e-400 1e400 0x10 99999999999999999999999 5% 100% -5% NaN'.split(' ');
const words = 'a A 0 - . .. / é \u{1f600} * % $(A) {{ a/b a=b a,b true null None Always'.split(' ');
const addresses =
  '::1 ::ffff:1.2.3.4 10.0.0.1 010.0.0.1 10.0.0.0/8 10.0.0.0/33 localhost .example.com http://[::1 file:///x'.split(' ');
const times =
  '2026-01-01T00:00:00Z 2026-13-01T00:00:00Z 0000-00-00T00:00:00Z 9999-12-31T23:59:59.999999Z 1s 1h1m -1s 1000000h @every'.split(
    ' ',
  );
const languages = [
  'app=web,tier!=x;a in (b,c);!x;self.x > 1;object.spec == null;^a+$;(a+)+$;[;\\p{L};*/5 * * * *;TZ=Asia/Tokyo * * * * *',
  'https://example.com/a?b#c;-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----;AA==;====;{.spec.a[*]};{{ .x }}',
].flatMap((each) => each.split(';'));

/** Boundary values. */
export const interesting: readonly JsonValue[] = [
  ...[null, true, false, '', ' ', '\u0000', '\n', '\ud800', 'x'.repeat(64), 'x'.repeat(254), 'y'.repeat(5000)],
  ...[...numbers, ...quantities, ...words, ...addresses, ...times, ...languages],
  ...[[], {}, [null], [[]], [{}], { '': null }, { a: { b: { c: [1] } } }, { matchLabels: { a: 'b' } }, { name: 'a' }],
];

export const oddKeys = [
  ...['', 'x y', 'k'.repeat(300)],
  ...'__proto__ constructor toString unknown a.b a/b é $patch f:a name metadata'.split(' '),
];
