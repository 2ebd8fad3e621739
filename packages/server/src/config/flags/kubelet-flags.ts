import { inputFile, integer, texts } from './flag-types.ts';

const group = 'Kubelets';

const addressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Connections to kubelets, for logs, exec, attach, port-forward and the proxy of nodes. */
export const kubeletFlags = {
  kubeletPreferredAddressTypes: texts({
    group,
    fallback: addressTypes,
    fallbackText: addressTypes.join(','),
    placeholder: 'TYPE,…',
    help: 'Types of node addresses to reach kubelets at, the preferred one first.',
    check: (types) => {
      const unknown = types.find((type) => !addressTypes.includes(type));
      return unknown === undefined ? undefined : `has "${unknown}", which is not one of ${addressTypes.join(', ')}`;
    },
  }),
  kubeletPort: integer({
    group,
    fallback: 10_250,
    min: 0,
    max: 65_535,
    placeholder: 'PORT',
    help: 'Port of kubelets whose Node does not name one.',
  }),
  kubeletCertificateAuthority: inputFile({
    group,
    help: 'CA certificates of kubelets. Their certificates are not verified without it.',
  }),
  kubeletClientCertificate: inputFile({
    group,
    help: 'Client certificate for kubelets, in place of one of the own CA.',
  }),
  kubeletClientKey: inputFile({ group, help: 'Private key of --kubelet-client-certificate.' }),
};
