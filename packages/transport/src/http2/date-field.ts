/** `date: Thu, 01 Jan 1970 00:00:00 GMT` as a literal with the name from the static table: it changes every second only. */
const bytes = Buffer.alloc(32);
bytes.set([0x0f, 33 - 15, 29]);
let second = -1;

export function dateField(now = Date.now()): Buffer {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    bytes.write(new Date(now).toUTCString(), 3, 'latin1');
  }
  return bytes;
}
