import { mutate, serveWebhooks } from '@tsukube/sdk';

const annotation = 'sidecars.example.com/injected';

/** Pods with the label `sidecar: logger`, in namespaces with the label `sidecars: enabled`. */
const inject = mutate(
  {
    resource: 'pods',
    operations: ['CREATE'],
    namespaceSelector: { matchLabels: { sidecars: 'enabled' } },
    objectSelector: { matchLabels: { sidecar: 'logger' } },
    reinvocationPolicy: 'IfNeeded',
    timeoutSeconds: 5,
  },
  ({ object: pod, warn }) => {
    if (pod.metadata.annotations?.[annotation]) return;
    pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: 'logger' };
    pod.spec.volumes = [...(pod.spec.volumes ?? []), { name: 'logs', emptyDir: {} }];
    for (const container of pod.spec.containers) {
      container.volumeMounts = [...(container.volumeMounts ?? []), { name: 'logs', mountPath: '/var/log/app' }];
    }
    pod.spec.containers.push({
      name: 'logger',
      image: 'busybox:1.37',
      command: ['sh', '-c', 'tail -n +1 -F /logs/*.log'],
      volumeMounts: [{ name: 'logs', mountPath: '/logs', readOnly: true }],
    });
    warn('the sidecar logger was added');
  },
);

const namespace = process.env.WEBHOOK_NAMESPACE;
const server = await serveWebhooks([inject], {
  name: 'sidecar-injector',
  ...(namespace && { service: { namespace, name: 'sidecar-injector', create: true } }),
});
console.log(`serving on ${server.url}`);
process.once('SIGTERM', () => server.close());
