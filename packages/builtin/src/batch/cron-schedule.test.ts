import { describe, expect, it } from 'vitest';
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts';

describe('schedules', () => {
  it.each([
    '* * * * *',
    '*/5 * * * *',
    '1-5/2,7 * * * *',
    '5/15 0 1 jan MON-fri',
    '? * ? * ?',
    '  0   1  * * * ',
    '1,,2 * * * *',
    '*-5 * * * *',
    '*/100 * * * *',
    '@midnight',
    '@every 1h30m',
    'TZ=UTC 0 0 * * *',
  ])('%j is valid', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['* * * foo *', 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@every 1x', 'failed to parse duration @every 1x: time: unknown unit "x" in duration "1x"'],
    ['CRON_TZ=Foo/Bar * * * * *', 'provided bad location Foo/Bar: unknown time zone Foo/Bar'],
    ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
  ])('%j is invalid', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});

describe('time zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'Etc/GMT+1', 'EST5EDT', 'US/Pacific'])('%s is one', (name) => {
    expect(timeZoneProblem(name)).toBeUndefined();
  });

  it.each(['Foo/Bar', 'europe/berlin', 'us/pacific', '../x', '-x', '/UTC'])('%s is none', (name) => {
    expect(timeZoneProblem(name)).toBe(`unknown time zone ${name}`);
  });

  it.each(['local', 'Local'])('%s is ambiguous and invalid', (name) => {
    expect(timeZoneProblem(name)).toContain('must be an explicit time zone');
  });
});
