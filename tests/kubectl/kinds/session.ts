/** The kubectl commands for the objects of a manifest, which is in the same folder as objects.yaml. */
export function sessionFor(manifest: string, version: string): readonly string[] {
  const objects = [...manifest.matchAll(/^kind: (\w+)\nmetadata: \{ ?name: ([\w.-]+)/gm)].map(([, kind, name]) => ({
    kind: kind as string,
    name: name as string,
  }));
  const scaled = objects.filter(({ kind }) => scalable.includes(kind)).map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
  const kinds = [...new Set(objects.map(({ kind }) => kind.toLowerCase()))];
  return [
    'kubectl create -f objects.yaml',
    'kubectl create -f objects.yaml',
    'kubectl get -f objects.yaml',
    'kubectl get -f objects.yaml -o wide',
    'kubectl get -f objects.yaml -o yaml',
    'kubectl get -f objects.yaml -o jsonpath=\'{range .items[*]}{.kind} {.metadata.name} {.spec.replicas}{"\\n"}{end}\'',
    'kubectl get -f objects.yaml -o custom-columns=KIND:.kind,NAME:.metadata.name,GENERATION:.metadata.generation',
    'kubectl describe -f objects.yaml',
    `for kind in ${kinds.join(' ')}; do kubectl explain $kind | grep -E '^(KIND|VERSION|GROUP|   ?[a-zA-Z0-9]+\t)'; done`,
    "KUBE_EDITOR='sed -i.old s/tag:.one/tag:\\ two/' kubectl edit -f objects.yaml",
    'kubectl get -f objects.yaml -o custom-columns=NAME:.metadata.name,TAG:.metadata.labels.tag',
    ...(scaled.length > 0 ? [`kubectl scale --replicas=3 ${scaled.join(' ')}`] : []),
    ...(version === '1.20' ? [] : ["kubectl wait --for=jsonpath='{.metadata.labels.tag}'=two --timeout=5s -f objects.yaml"]),
    'kubectl delete -f objects.yaml --wait=false',
    `kubectl wait --for=delete --timeout=10s ${objects
      .filter(isGoneAtOnce)
      .map(({ kind, name }) => `${kind.toLowerCase()}/${name}`)
      .join(' ')}`,
  ];
}

const scalable = ['ReplicationController', 'ReplicaSet', 'Deployment', 'StatefulSet'];

/** Other kinds have finalizers or graceful deletion. */
function isGoneAtOnce({ kind }: { readonly kind: string }): boolean {
  return !['Namespace', 'PersistentVolume', 'PersistentVolumeClaim', 'VolumeAttributesClass', 'Event'].includes(kind);
}
