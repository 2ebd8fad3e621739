export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

export function text(value: Uint8Array | undefined): string | undefined {
  return value && Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}
