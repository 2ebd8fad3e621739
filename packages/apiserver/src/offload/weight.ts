/** What a request may cost on the event loop, by what can be told of its bytes. */
export interface LightLimits {
  /** Bodies and objects up to this size are not looked at. */
  readonly bytes: number;
  /** Values in a body or object, where a KiB of text counts as one. */
  readonly values: number;
}

/** Measured so that what is lighter holds the event loop for less than 40 ms, whatever the kind (see docs/performance.md). */
export const lightLimits: LightLimits = { bytes: 8 * 1024, values: 1500 };

const isStructural = new Uint8Array(256);
for (const character of ',[{\n') isStructural[character.charCodeAt(0)] = 1;

/** Whether bytes hold so much JSON or YAML that it is not processed on the event loop. `factor` is what a value costs in the kind. */
export function isHeavyText(bytes: Uint8Array, limits: LightLimits, factor = 1): boolean {
  if (bytes.length * factor <= limits.bytes) return false;
  let left = limits.values / factor - bytes.length / 1024;
  for (let i = 0; i < bytes.length && left >= 0; i++) left -= isStructural[bytes[i] as number] as number;
  return left < 0;
}

/** A text that takes long to compile: a pattern takes some 7 µs for each character. */
const longText = 4 * 1024;

/** Whether bytes hold a long text without a structural character. Those with many are heavy anyway. */
export function hasLongText(bytes: Uint8Array, limits: LightLimits): boolean {
  if (bytes.length <= limits.bytes) return false;
  let start = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (isStructural[bytes[i] as number] === 0) continue;
    if (i - start > longText) return true;
    start = i;
  }
  return bytes.length - start > longText;
}

/** A field of protobuf takes few bytes, and nothing tells how many there are. */
export function isHeavyMessage(bytes: Uint8Array, limits: LightLimits, factor = 1): boolean {
  return bytes.length * factor > 2 * limits.bytes;
}
