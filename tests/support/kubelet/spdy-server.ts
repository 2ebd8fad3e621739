import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { constants, createInflate } from 'node:zlib';
import { SpdyConnection, type SpdyStream } from '@tsukube/transport';

const words =
  'options,head,post,put,delete,trace,accept,accept-charset,accept-encoding,accept-language,accept-ranges,age,allow,authorization,cache-control,connection,content-base,content-encoding,content-language,content-length,content-location,content-md5,content-range,content-type,date,etag,expect,expires,from,host,if-match,if-modified-since,if-none-match,if-range,if-unmodified-since,last-modified,location,max-forwards,pragma,proxy-authenticate,proxy-authorization,range,referer,retry-after,server,te,trailer,transfer-encoding,upgrade,user-agent,vary,via,warning,www-authenticate,method,get,status,200 OK,version,HTTP/1.1,url,public,set-cookie,keep-alive,origin';
const text =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

/** The dictionary of SPDY/3 for header blocks: words with their lengths, then text. */
const dictionary = Buffer.concat([
  ...words.split(',').map((word) => {
    const bytes = Buffer.alloc(4 + word.length);
    bytes.writeUInt32BE(word.length);
    bytes.write(word, 4);
    return bytes;
  }),
  Buffer.from(text),
]);

export type Headers = ReadonlyMap<string, string>;

/** Decodes the header blocks of a connection, which are one zlib stream. */
class HeaderBlocks {
  readonly #inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  #last: Promise<unknown> = Promise.resolve();

  decode(block: Buffer): Promise<Headers> {
    const decoded = this.#last.then(() => this.#inflated(block)).then(parseHeaders);
    this.#last = decoded.catch(() => {});
    return decoded;
  }

  #inflated(block: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      const take = (piece: Buffer) => void pieces.push(piece);
      this.#inflate.on('data', take);
      this.#inflate.once('error', reject);
      this.#inflate.write(block, () =>
        setImmediate(() => {
          this.#inflate.off('data', take);
          this.#inflate.off('error', reject);
          resolve(Buffer.concat(pieces));
        }),
      );
    });
  }
}

function parseHeaders(bytes: Buffer): Headers {
  const headers = new Map<string, string>();
  let at = 4;
  const next = () => {
    const length = bytes.readUInt32BE(at);
    at += 4 + length;
    return bytes.toString('utf8', at - length, at);
  };
  for (let left = bytes.readUInt32BE(0); left > 0; left--) headers.set(next(), next());
  return headers;
}

/** Switches to SPDY with the first subprotocol that both know; undefined after an error response. */
export function acceptSpdy(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  protocols: readonly string[],
  onStream: (stream: SpdyStream, headers: Headers) => void,
): { readonly connection: SpdyConnection; readonly protocol: string } | undefined {
  const asked = String(request.headers['x-stream-protocol-version'] ?? '')
    .split(',')
    .map((each) => each.trim());
  const protocol = asked.find((each) => protocols.includes(each)) ?? (asked[0] === '' ? protocols.at(-1) : undefined);
  if (protocol === undefined) {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nunable to negotiate protocol\n');
    return undefined;
  }
  const version = protocol === '' ? '' : `X-Stream-Protocol-Version: ${protocol}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${version}\r\n`);
  const blocks = new HeaderBlocks();
  const connection = new SpdyConnection(socket, head, 'server', {
    onStream(stream, block) {
      blocks.decode(block).then(
        (headers) => {
          onStream(stream, headers);
          connection.accept(stream);
        },
        () => connection.close(),
      );
    },
  });
  return { connection, protocol };
}
