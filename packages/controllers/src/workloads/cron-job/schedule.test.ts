import { describe, expect, it } from 'vitest';
import { jobOf, lastDue } from './index.ts';
import { parseSchedule } from './schedule.ts';

const at = (time: string) => Date.parse(time);

describe('parseSchedule', () => {
  it.each([
    ['* * * * *', undefined, '2026-01-01T00:00:30Z', '2026-01-01T00:01:00Z'],
    ['*/15 * * * *', undefined, '2026-01-01T00:15:00Z', '2026-01-01T00:30:00Z'],
    ['5/20 * * * *', undefined, '2026-01-01T00:30:00Z', '2026-01-01T00:45:00Z'],
    ['0 3 * * mon-fri', undefined, '2026-01-02T12:00:00Z', '2026-01-05T03:00:00Z'],
    ['0 0 13 * 5', undefined, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['0 0 29 2 *', undefined, '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['@monthly', undefined, '2026-01-15T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@every 90s', undefined, '2026-01-01T00:00:00Z', '2026-01-01T00:01:30Z'],
    ['0 9 * * *', 'Asia/Tokyo', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['TZ=America/New_York 30 8 * * *', undefined, '2026-07-01T00:00:00Z', '2026-07-01T12:30:00Z'],
    ['30 8 * * *', 'America/New_York', '2026-01-10T00:00:00Z', '2026-01-10T13:30:00Z'],
  ])('%s in %s after %s', (schedule, zone, from, next) => {
    expect(new Date(parseSchedule(schedule, zone).next(at(from)) ?? 0).toISOString()).toBe(next.replace('Z', '.000Z'));
  });

  it('has no next time for a day that does not exist', () => {
    expect(parseSchedule('0 0 31 2 *').next(at('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  it.each(['* * * *', 'x * * * *', '*/0 * * * *', '61 * * * *'])('rejects %s', (schedule) => {
    expect(() => parseSchedule(schedule)).toThrow();
  });
});

describe('lastDue', () => {
  const hourly = parseSchedule('@hourly');
  it.each([
    ['nothing is due', '2026-01-01T10:10:00Z', '2026-01-01T10:50:00Z', undefined],
    ['one time', '2026-01-01T09:50:00Z', '2026-01-01T10:50:00Z', '2026-01-01T10:00:00Z'],
    ['the last of many', '2026-01-01T00:30:00Z', '2026-01-01T10:50:00Z', '2026-01-01T10:00:00Z'],
    ['after a year of downtime', '2025-01-01T00:30:00Z', '2026-01-01T10:50:00Z', '2026-01-01T10:00:00Z'],
  ])('%s', (_, earliest, now, due) => {
    expect(lastDue(hourly, at(earliest), at(now))).toBe(due === undefined ? undefined : at(due));
  });
});

it('a Job is named after its minute, and annotated with the time in the time zone', () => {
  const jobTemplate = { metadata: { labels: { a: 'b' } }, spec: { template: {} } };
  const spec = { schedule: '0 9 * * *', timeZone: 'Asia/Kolkata', jobTemplate };
  const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c', namespace: 'n', uid: 'u' }, spec };
  const { metadata } = jobOf(cronJob, at('2026-01-01T03:30:00Z'));
  expect(metadata).toMatchObject({
    name: `c-${at('2026-01-01T03:30:00Z') / 60_000}`,
    annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T09:00:00+05:30' },
  });
});
