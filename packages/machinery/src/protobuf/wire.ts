/** The wire types of protobuf. Groups are only ever skipped. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

export type WireType = 0 | 1 | 2;
