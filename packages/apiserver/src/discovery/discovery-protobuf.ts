import { type JsonObject, objectIn, objectsIn, ProtobufWriter, textIn, textsIn, wrapProtobuf } from '@tsukube/machinery';

/** A discovery document in Kubernetes' protobuf envelope, laid out by its kind. */
export function discoveryProtobuf(document: JsonObject): Buffer {
  const { kind, apiVersion = '' } = document as { kind: string; apiVersion?: string };
  const writer = new ProtobufWriter();
  write(writer, layouts[kind] as Layout, document);
  return wrapProtobuf(apiVersion, kind, writer.finish());
}

type Field = (writer: ProtobufWriter, object: JsonObject) => void;
type Layout = readonly Field[];

/** The writer writes backwards: fields and items are given last first. */
function write(writer: ProtobufWriter, layout: Layout, object: JsonObject): void {
  for (const field of layout.toReversed()) field(writer, object);
}

/** Strings and booleans are written even when empty, as gogo protobuf does. */
const text =
  (field: number, name: string): Field =>
  (writer, object) =>
    writer.stringField(field, textIn(object, name));

const flag =
  (field: number, name: string): Field =>
  (writer, object) =>
    writer.boolField(field, object[name] === true);

const texts =
  (field: number, name: string): Field =>
  (writer, object) => {
    for (const item of textsIn(object, name).toReversed()) writer.stringField(field, item);
  };

const one =
  (field: number, name: string, layout: Layout): Field =>
  (writer, object) =>
    writer.messageField(field, () => write(writer, layout, objectIn(object, name) ?? {}));

const many =
  (field: number, name: string, layout: Layout): Field =>
  (writer, object) => {
    for (const item of objectsIn(object, name).toReversed()) writer.messageField(field, () => write(writer, layout, item));
  };

const serverAddresses = many(2, 'serverAddressByClientCIDRs', [text(1, 'clientCIDR'), text(2, 'serverAddress')]);
const groupVersion = [text(1, 'groupVersion'), text(2, 'version')];
const group = [text(1, 'name'), many(2, 'versions', groupVersion), one(3, 'preferredVersion', groupVersion)];

/** Kubernetes' Verbs is a message that wraps a list. */
const verbs: Field = (writer, object) => writer.messageField(4, () => texts(1, 'verbs')(writer, object));

const resource = [
  text(1, 'name'),
  flag(2, 'namespaced'),
  text(3, 'kind'),
  verbs,
  texts(5, 'shortNames'),
  text(6, 'singularName'),
  texts(7, 'categories'),
  text(8, 'group'),
  text(9, 'version'),
  text(10, 'storageVersionHash'),
];

const responseKind = one(2, 'responseKind', [text(1, 'group'), text(2, 'version'), text(3, 'kind')]);
const listMeta = one(1, 'metadata', [text(1, 'selfLink'), text(2, 'resourceVersion'), text(3, 'continue')]);
const objectMeta = one(1, 'metadata', [
  text(1, 'name'),
  text(2, 'generateName'),
  text(3, 'namespace'),
  text(4, 'selfLink'),
  text(5, 'uid'),
  text(6, 'resourceVersion'),
  flag(7, 'generation'),
  one(8, 'creationTimestamp', []),
]);

const discoveredResource = [
  text(1, 'resource'),
  responseKind,
  text(3, 'scope'),
  text(4, 'singularResource'),
  texts(5, 'verbs'),
  texts(6, 'shortNames'),
  texts(7, 'categories'),
  many(8, 'subresources', [text(1, 'subresource'), responseKind, texts(4, 'verbs')]),
];

const discoveredVersion = [text(1, 'version'), many(2, 'resources', discoveredResource), text(3, 'freshness')];

const layouts: Readonly<Record<string, Layout>> = {
  APIVersions: [texts(1, 'versions'), serverAddresses],
  APIGroupList: [many(1, 'groups', group)],
  APIGroup: group,
  APIResourceList: [text(1, 'groupVersion'), many(2, 'resources', resource)],
  APIGroupDiscoveryList: [listMeta, many(2, 'items', [objectMeta, many(2, 'versions', discoveredVersion)])],
};
