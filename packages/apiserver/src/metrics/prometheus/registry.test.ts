import { afterEach, describe, expect, it, vi } from 'vitest';
import { numberText } from './exposition.ts';
import { Registry } from './registry.ts';
import { exponentialBounds } from './series.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('text exposition', () => {
  it('sorts families and series', async () => {
    const registry = new Registry();
    const requests = registry.counter({ name: 'b_total', help: 'Requests.', labels: ['verb', 'code'] });
    registry.gauge({ name: 'a', help: 'A gauge.' }).with({}).set(1.5);
    requests.with({ verb: 'PUT', code: '200' }).increase();
    requests.with({ code: '200', verb: 'GET' }).increase(2);
    requests.with({ verb: 'GET', code: '200' }).increase();
    expect(await registry.scrape()).toBe(
      [
        '# HELP a A gauge.',
        '# TYPE a gauge',
        'a 1.5',
        '# HELP b_total Requests.',
        '# TYPE b_total counter',
        'b_total{code="200",verb="GET"} 3',
        'b_total{code="200",verb="PUT"} 1',
        '',
      ].join('\n'),
    );
  });

  it('counts values up to and including a bound', async () => {
    const registry = new Registry();
    const sizes = registry.histogram({ name: 's', help: 'Sizes.', labels: ['kind'], bounds: exponentialBounds(1000, 1000, 2) });
    for (const value of [1, 1000, 1001, 2e6]) sizes.with({ kind: 'x' }).observe(value);
    expect((await registry.scrape()).split('\n').slice(2)).toEqual([
      's_bucket{kind="x",le="1000"} 2',
      's_bucket{kind="x",le="1e+06"} 3',
      's_bucket{kind="x",le="+Inf"} 4',
      's_sum{kind="x"} 2.002002e+06',
      's_count{kind="x"} 4',
      '',
    ]);
  });

  it('escapes newlines and quotes', async () => {
    const registry = new Registry();
    registry
      .gauge({ name: 'g', help: 'One\ntwo \\ "three"', labels: ['l'] })
      .with({ l: 'a"b\\c\nd' })
      .set(0);
    expect(await registry.scrape()).toBe('# HELP g One\\ntwo \\\\ "three"\n# TYPE g gauge\ng{l="a\\"b\\\\c\\nd"} 0\n');
  });

  it('leaves out a family that has labels but no series', async () => {
    const registry = new Registry();
    registry.counter({ name: 'c', help: 'C.', labels: ['l'] });
    expect(await registry.scrape()).toBe('');
  });

  it.each([
    [0, '0'],
    [999_999, '999999'],
    [1_000_000, '1e+06'],
    [78_929_920, '7.892992e+07'],
    [0.005, '0.005'],
    [0.00001, '1e-05'],
    [-1, '-1'],
    [1.25, '1.25'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('writes %s as Go does', (value, text) => expect(numberText(value)).toBe(text));
});

describe('a registry', () => {
  it('rejects duplicate names', () => {
    const registry = new Registry();
    registry.gauge({ name: 'g', help: 'G.' });
    expect(() => registry.counter({ name: 'g', help: 'G.' })).toThrow('duplicate metric g');
  });

  it('shares one series between label sets beyond the limit', async () => {
    const registry = new Registry();
    const family = registry.counter({ name: 'c', help: 'C.', labels: ['l'] });
    for (let i = 0; i < 10_050; i++) family.with({ l: String(i) }).increase();
    const text = await registry.scrape();
    expect(text).toContain('c{l="other"} 50\n');
    expect(text).not.toContain('l="10000"');
  });

  it('refreshes values before a scrape, and tolerates failures', async () => {
    const registry = new Registry();
    const gauge = registry.gauge({ name: 'g', help: 'G.' }).with({});
    registry.beforeScrape(() => {
      throw new Error('out of order');
    });
    registry.beforeScrape(() => Promise.reject(new Error('unreachable')));
    registry.beforeScrape(async () => gauge.set(7));
    expect(await registry.scrape()).toContain('g 7\n');
  });

  it('limits the wait for a refresh', async () => {
    vi.useFakeTimers();
    const registry = new Registry();
    registry.gauge({ name: 'g', help: 'G.' }).with({}).set(3);
    registry.beforeScrape(() => new Promise(() => {}));
    const scraped = registry.scrape();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await scraped).toContain('g 3\n');
  });
});
