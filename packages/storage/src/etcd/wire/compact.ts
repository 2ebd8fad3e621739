import { finish, type Method, varintTag, write } from '../../grpc/protobuf.ts';

export const compact: Method<number, void> = {
  path: '/etcdserverpb.KV/Compact',
  encode: (revision) => finish(write().uint32(varintTag(1)).int64(revision)),
  decode: () => {},
};
