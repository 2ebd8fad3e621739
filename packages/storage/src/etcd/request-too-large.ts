/** The value does not fit into a request that etcd takes: by default 1.5 MiB for the value, the key and some framing. */
export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
  constructor() {
    super('the value is larger than etcd takes (see its --max-request-bytes)');
  }
}
