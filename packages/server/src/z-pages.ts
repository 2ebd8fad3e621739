import { acceptClauses, acceptsMediaType, answerText, answerValue, type Delegate, kubernetesVersion } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';
import { flagsAndValues, type ServeOptions } from './config/index.ts';

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

/** A text page that is also served as an object of config.k8s.io. */
interface ZPage {
  readonly path: string;
  readonly kind: string;
  text(): string;
  /** Fields besides kind, apiVersion and metadata. */
  fields(): JsonObject;
}

/** `/flagz`: the flags and their values. */
export function flagzPage(options: ServeOptions): Delegate {
  const flags = () => flagsAndValues(options);
  return zPage({
    path: '/flagz',
    kind: 'Flagz',
    text: () =>
      `\napiserver flagz\n${warning}\n${flags()
        .map(([name, value]) => `${name}=${value}\n`)
        .join('')}`,
    fields: () => ({ flags: Object.fromEntries(flags()) }),
  });
}

const paths = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

/** `/statusz`: start time and version. */
export function statuszPage(startedAt: number, now: () => number): Delegate {
  const seconds = () => Math.floor((now() - startedAt) / 1000);
  const binaryVersion = kubernetesVersion.slice(1);
  const emulationVersion = binaryVersion.split('.').slice(0, 2).join('.');
  const goVersion = `node${process.version}`;
  const lines = () => [
    `Started:  ${unixDate(startedAt)}`,
    `Up:  ${uptime(seconds())}`,
    `Go version:  ${goVersion}`,
    `Binary version:  ${binaryVersion}`,
    `Emulation version:  ${emulationVersion}`,
    `Paths:  ${paths.join(' ')}`,
  ];
  return zPage({
    path: '/statusz',
    kind: 'Statusz',
    text: () => `\napiserver statusz\n${warning}\n\n${lines().join('\n')}\n`,
    fields: () => ({
      startTime: `${new Date(startedAt).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: seconds(),
      goVersion,
      binaryVersion,
      emulationVersion,
      paths,
    }),
  });
}

function uptime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} hr ${two(minutes % 60)} min ${two(seconds % 60)} sec`;
}

/** Mon Nov 16 15:10:43 UTC 2026 */
function unixDate(time: number): string {
  const [day, date, month, year, clock] = new Date(time).toUTCString().replace(',', '').split(' ');
  return `${day} ${month} ${date} ${clock} UTC ${year}`;
}

const objectTypes = ['application/json', 'application/yaml'] as const;
const group = 'config.k8s.io';
const versions = ['v1beta1', 'v1alpha1'];

type Form = 'text' | { readonly mediaType: (typeof objectTypes)[number]; readonly version: string };

function zPage({ path, kind, text, fields }: ZPage): Delegate {
  return function page(request) {
    if (request.path !== path) return undefined;
    const form = formFor(request.exchange.header('accept') ?? '', kind);
    if (form === undefined) throw StatusError.notAcceptable([...objectTypes, 'text/plain']);
    if (form === 'text') return answerText(200, text());
    const { mediaType, version } = form;
    const object = { kind, apiVersion: `${group}/${version}`, metadata: { name: 'apiserver' }, ...fields() };
    const output = { mediaType, as: 'object', metaVersion: 'v1', pretty: false } as const;
    return answerValue(200, object, output).then((answer) => ({
      ...answer,
      type: `${mediaType};g=${group};v=${version};as=${kind}`,
    }));
  };
}

/** The object must be requested with group, version and kind; text without. */
function formFor(accept: string, kind: string): Form | undefined {
  if (accept === '') return 'text';
  for (const clause of acceptClauses(accept)) {
    const { parameters } = clause;
    const version = parameters.get('v') ?? '';
    const isAsked = parameters.get('g') === group && parameters.get('as') === kind && versions.includes(version);
    const mediaType = objectTypes.find((type) => acceptsMediaType(clause, type));
    if (isAsked && mediaType) return { mediaType, version };
    const isPlain = !['g', 'v', 'as'].some((name) => parameters.has(name));
    if (isPlain && acceptsMediaType(clause, 'text/plain')) return 'text';
  }
  return undefined;
}
