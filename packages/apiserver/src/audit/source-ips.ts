import { isIP } from 'node:net';
import type { Exchange } from '../http/request.ts';

/** Where a request comes from: as proxies on the way tell, and, last, as the connection shows. */
export function sourceIps(exchange: Exchange): readonly string[] {
  const forwarded = (exchange.header('x-forwarded-for') ?? '').split(',').flatMap((part) => addressIn(part) ?? []);
  const real = addressIn(exchange.header('x-real-ip') ?? '');
  if (real !== undefined && !forwarded.includes(real)) forwarded.push(real);
  const remote = addressIn(exchange.connection.remoteAddress);
  if (remote !== undefined && forwarded.at(-1) !== remote) forwarded.push(remote);
  return forwarded;
}

/** An address as it is usually written; what came over IPv6 but is IPv4 is written as that. */
function addressIn(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  const plain = mapped ?? address;
  return isIP(plain) === 0 ? undefined : plain;
}
