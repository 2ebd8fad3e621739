import { bytesTag, type Method, read } from '../../grpc/protobuf.ts';

export interface MemberStatus {
  readonly version: string;
  /** Alarms among others, such as `memberID:1 alarm:NOSPACE `. */
  readonly errors: readonly string[];
}

export const memberStatus: Method<void, MemberStatus> = {
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
