/** A time as metav1.Time is written: seconds, UTC. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** A time as metav1.MicroTime is written: microseconds, UTC. Fractions of a millisecond are kept. */
export function formatMicroTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const micros = Math.floor((milliseconds - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
}
