import { readFileSync } from 'node:fs';
import { listen } from '../../../packages/transport/dist/index.js';

/**
 * The transport alone, with a handler that reads the body and answers 200: anonymous clients of a whole server get GOAWAY
 * after one request. Takes the paths of a certificate and a key, and prints its port.
 */
const [certificate, key] = process.argv.slice(2).map((path) => readFileSync(path));

const listener = await listen({
  host: '127.0.0.1',
  port: 0,
  tls: { cert: certificate, key },
  maxStreamsPerConnection: 100,
  async handle(exchange) {
    await exchange.body(1 << 20);
    return { kind: 'bytes', status: 200, type: 'text/plain', body: 'an answer that is longer than the windows h2spec opens' };
  },
});
process.stdout.write(`${listener.address.port}\n`);
// Exits with its parent, or on a message.
for (const event of ['data', 'end']) process.stdin.once(event, () => process.exit());
