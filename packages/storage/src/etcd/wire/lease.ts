import { finish, type Method, type Opaque64, read, varintTag, write } from '../../grpc/protobuf.ts';

export const grantLease: Method<{ readonly seconds: number }, Opaque64> = {
  path: '/etcdserverpb.Lease/LeaseGrant',
  encode: ({ seconds }) => finish(write().uint32(varintTag(1)).int64(seconds)),
  decode: (message) => {
    const reader = read(message);
    while (reader.pos < message.length) {
      const tag = reader.uint32();
      if (tag === varintTag(2)) return reader.int64();
      reader.skipType(tag & 7);
    }
    throw new Error('etcd granted a lease without an id');
  },
};
