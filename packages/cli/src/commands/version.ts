import { packageVersion } from '../version.ts';

export function version(): number {
  process.stdout.write(`tsukube ${packageVersion()} (node ${process.versions.node}, ${process.platform}/${process.arch})\n`);
  return 0;
}
