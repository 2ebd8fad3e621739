import type { VersionInfo } from '../delegates/pages.ts';

/** The Kubernetes version of the API. */
export const kubernetesVersion = 'v1.36.4';

export const tsukubeVersion = '0.1.0';

export const versionInfo: VersionInfo = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: `${kubernetesVersion}+tsukube.${tsukubeVersion}`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.version}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
