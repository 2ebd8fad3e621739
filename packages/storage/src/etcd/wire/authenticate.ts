import { bytesTag, finish, type Method, read, write } from '../../grpc/protobuf.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Gives a token. */
export const authenticate: Method<Credentials, string> = {
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
