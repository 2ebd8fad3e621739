import { type JsonObject, objectsIn, textIn } from '@tsukube/machinery';

/** Comma-separated names of the containers. */
export function containerNames(podSpec: JsonObject | undefined): string {
  return objectsIn(podSpec, 'containers')
    .map((container) => textIn(container, 'name'))
    .join(',');
}

export function containerImages(podSpec: JsonObject | undefined): string {
  return objectsIn(podSpec, 'containers')
    .map((container) => textIn(container, 'image'))
    .join(',');
}

/** `key=value` pairs in order; `<none>` if there are none. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const text = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(',');
  return text === '' ? '<none>' : text;
}
