import type { VersionInfo } from '../delegates/version.ts';
import type { Registry } from './registry.ts';

export function buildInfo(registry: Registry, version: VersionInfo): void {
  const labels = {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  };
  const info = registry.gauge({
    name: 'kubernetes_build_info',
    help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    labels: Object.keys(labels) as (keyof typeof labels)[],
  });
  info.with(labels).set(1);
}
