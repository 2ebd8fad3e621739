import { type JsonObject, objectsIn, textIn } from '@tsukube/machinery';

/** The names of a pod's containers, as one cell. */
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

/** Labels as one cell. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const text = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(',');
  return text === '' ? '<none>' : text;
}
