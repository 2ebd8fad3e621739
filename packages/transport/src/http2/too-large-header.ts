import type { BytesAnswer } from '../http/answer.ts';

/** In the words of Go's server. */
export const tooLargeHeader: BytesAnswer = {
  kind: 'bytes',
  status: 431,
  type: 'text/html; charset=utf-8',
  body: Buffer.from('<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>'),
};
