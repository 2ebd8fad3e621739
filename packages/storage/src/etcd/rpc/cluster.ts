import { bytesTag, finish, type GrpcMethod, type Opaque64, read, varintTag, write } from '../../grpc/protobuf.ts';

interface MemberStatus {
  readonly version: string;
  /** Includes alarms such as `memberID:1 alarm:NOSPACE `. */
  readonly errors: readonly string[];
}

export const memberStatusMethod: GrpcMethod<void, MemberStatus> = {
  path: '/etcdserverpb.Maintenance/Status',
  encode: () => Buffer.alloc(0),
  decode: (message) => {
    const reader = read(message);
    const errors: string[] = [];
    let version = '';
    while (reader.pos < message.length) {
      const tag = reader.uint32();
      if (tag === bytesTag(2)) version = reader.string();
      else if (tag === bytesTag(8)) errors.push(reader.string());
      else reader.skipType(tag & 7);
    }
    return { version, errors };
  },
};

export interface EtcdCredentials {
  readonly username: string;
  readonly password: string;
}

/** Returns an auth token. */
export const authenticateMethod: GrpcMethod<EtcdCredentials, string> = {
  path: '/etcdserverpb.Auth/Authenticate',
  encode: ({ username, password }) => finish(write().uint32(bytesTag(1)).string(username).uint32(bytesTag(2)).string(password)),
  decode: (message) => {
    const reader = read(message);
    let token = '';
    while (reader.pos < message.length) {
      const tag = reader.uint32();
      if (tag === bytesTag(2)) token = reader.string();
      else reader.skipType(tag & 7);
    }
    return token;
  },
};

export const grantLeaseMethod: GrpcMethod<{ readonly seconds: number }, Opaque64> = {
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
