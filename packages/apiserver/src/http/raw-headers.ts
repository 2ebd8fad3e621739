import { withoutTokenProtocols } from '../authentication/websocket-token.ts';

/** Names and values in turns, as node keeps them. Once something is concealed, so is a token among subprotocols. */
export function visitHeaders(
  raw: readonly string[],
  isConcealed: ((name: string) => boolean) | undefined,
  visit: (name: string, value: string) => void,
): void {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (isConcealed?.(name)) continue;
    const value = raw[i + 1] as string;
    visit(name, isConcealed && name === 'sec-websocket-protocol' ? withoutTokenProtocols(value) : value);
  }
}
