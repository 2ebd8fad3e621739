/** Whether the time zone database has this name, which is in the right case. */
export function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Names are looked up in any case, and aliases answer with the name they stand for.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone === name : name !== name.toLowerCase();
  } catch {
    return false;
  }
}

const component = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** What is wrong with a time zone, if anything. */
export function timeZoneProblem(name: string): string | undefined {
  if (name === '') return 'timeZone must be nil or non-empty string';
  const odd = name.split('/').some((part) => part === '.' || part === '..' || part.startsWith('-') || !component.test(part));
  if (odd) return `unknown time zone ${name}`;
  if (name.toLowerCase() === 'local')
    return 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return isTimeZone(name) ? undefined : `unknown time zone ${name}`;
}
