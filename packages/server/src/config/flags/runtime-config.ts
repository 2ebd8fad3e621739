type RuntimeConfig = Readonly<Record<string, boolean>>;

const maturities = [
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
] as const;

/** Why --runtime-config is invalid, if it is. */
export function runtimeConfigComplaint(config: RuntimeConfig): string | undefined {
  const strange = Object.keys(config).find(
    (key) => !/^(v1|api\/(all|ga|beta|alpha|legacy)|[a-z0-9.-]+\/v\d+((alpha|beta)\d+)?)$/.test(key),
  );
  return strange === undefined ? undefined : `has "${strange}", which names no API version`;
}

/** A version of a resource; `legacy` if Kubernetes has removed it. */
interface Candidate {
  readonly group: string;
  readonly version: string;
  readonly legacy?: boolean;
}

/**
 * Whether a version is served. The first entry decides among: the version's own, api/legacy for removed versions, that of its
 * maturity, api/all; then the default.
 */
export function isServed(config: RuntimeConfig, { group, version, legacy }: Candidate, usual: boolean): boolean {
  const own = group === '' ? version : `${group}/${version}`;
  const maturity = maturities.find(([, form]) => form.test(version))?.[0];
  const keys = [own, ...(legacy ? ['api/legacy'] : []), ...(maturity ? [maturity] : []), 'api/all'];
  const decisive = keys.find((key) => Object.hasOwn(config, key));
  return decisive === undefined ? usual : (config[decisive] as boolean);
}
