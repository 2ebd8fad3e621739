import type { User } from '@tsukube/apiserver';
import { type JsonObject, setKey } from '@tsukube/machinery';

/** A user as reviews show it. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const info: JsonObject = { username: name };
  if (uid) info.uid = uid;
  if (groups.length > 0) info.groups = [...groups];
  const entries = Object.entries(extra ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length === 0) return info;
  const shown: JsonObject = {};
  for (const [key, values] of entries) setKey(shown, key, [...values]);
  info.extra = shown;
  return info;
}
