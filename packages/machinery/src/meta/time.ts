import { type GoTime, parseGoTime, rfc3339, rfc3339Micro } from '../text/go-time.ts';

let lastSecond = Number.NaN;
let lastText = '';

/** Formats a time as metav1.Time: seconds, UTC. */
export function formatTime(milliseconds: number): string {
  // Consecutive calls are mostly within the same second.
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** Formats a time as metav1.MicroTime: microseconds, UTC. Keeps fractions of a millisecond. */
export function formatMicroTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const micros = Math.floor((milliseconds - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Times that are certainly canonical; days after the 28th need the slow path. */
const canonical = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;
const zeroTime = '0001-01-01T00:00:00Z';

/** The canonical form of a time; undefined for the zero time. Throws GoTimeError. */
export function canonicalTime(text: string): string | undefined {
  if (canonical.test(text)) return text === zeroTime ? undefined : text;
  const written = writeSeconds(parseGoTime(text, rfc3339));
  return written === zeroTime ? undefined : written;
}

/** The same for times with microseconds. */
export function canonicalMicroTime(text: string): string | undefined {
  const time = parseGoTime(text, rfc3339Micro);
  const seconds = writeSeconds(time);
  if (seconds === zeroTime && time.nanoseconds === 0) return undefined;
  return `${seconds.slice(0, -1)}.${String(Math.floor(time.nanoseconds / 1000)).padStart(6, '0')}Z`;
}

function writeSeconds({ seconds }: GoTime): string {
  return formatTime(seconds * 1000);
}

/** A duration like Go's HumanDuration in table columns: two or three significant figures, `<invalid>` if negative. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return two(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
