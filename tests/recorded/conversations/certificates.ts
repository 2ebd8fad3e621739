import type { Conversations, Request } from '../conversation.ts';

/** Permissions on signers, and forbidden subjects. */
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const group = 'certificates.k8s.io';

const pem = (title: string, content: string) =>
  Buffer.from(`-----BEGIN ${title}-----\n${content}\n-----END ${title}-----\n`).toString('base64');
const request = (content: string) => pem('CERTIFICATE REQUEST', content);
/** O=developers, CN=jane */
const developer = request(
  'MIHeMIGGAgEAMCQxEzARBgNVBAoMCmRldmVsb3BlcnMxDTALBgNVBAMMBGphbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARLr4hyaKCeLnf3wNgeu5InFnJS0bNeEH32Taz+EN0IZwfRhbXa9UX5jzotvUt1mxALhRGuB+rQ2XRckD+ehYaPoAAwCgYIKoZIzj0EAwIDRwAwRAIgbJTGQxc+6l2lxsIYkav72gy8RJXZ/QNTVCVS2Y+LoJYCIHRkb6Dtp7MaNYVP/uAsWPVXrQj7X5sphfH2jGcWLjuY',
);
/** O=system:masters, CN=admin */
const administrator = request(
  'MIHjMIGLAgEAMCkxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ4wDAYDVQQDDAVhZG1pbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEuviHJooJ4ud/fA2B67kicWclLRs14QffZNrP4Q3QhnB9GFtdr1RfmPOi29S3WbEAuFEa4H6tDZdFyQP56Fho+gADAKBggqhkjOPQQDAgNHADBEAiAlxBXj4JIkrDxh4XiaOw0haXNHzEbvTTXP6rCZ2AUJBAIgDZ8s5umogGJ9CcXcj9WATXBH0XlCN82p/72BNKnKKeY=',
);
/** O=developers, O=system:masters, CN=jane */
const both = request(
  'MIH4MIGfAgEAMD0xEzARBgNVBAoMCmRldmVsb3BlcnMxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ0wCwYDVQQDDARqYW5lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAES6+Icmigni5398DYHruSJxZyUtGzXhB99k2s/hDdCGcH0YW12vVF+Y86Lb1LdZsQC4URrgfq0Nl0XJA/noWGj6AAMAoGCCqGSM49BAMCA0gAMEUCIGFvu3Hg387yJI9xReaNaqnibzuJTFTZ/tSJ0Ai5upDWAiEAziCv51n2GyhAPgh1M0eVn7QTVazKmnDWVKKkmXg0HcE=',
);
const certificate = pem(
  'CERTIFICATE',
  'MIIBQzCB6QIUCbliwRRhWRZ1HvzKDW+WhqCQHdYwCgYIKoZIzj0EAwIwJDETMBEGA1UECgwKZGV2ZWxvcGVyczENMAsGA1UEAwwEamFuZTAeFw0yNjExMTYxNjQxNDZaFw0zNjExMTMxNjQxNDZaMCQxEzARBgNVBAoMCmRldmVsb3BlcnMxDTALBgNVBAMMBGphbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARLr4hyaKCeLnf3wNgeu5InFnJS0bNeEH32Taz+EN0IZwfRhbXa9UX5jzotvUt1mxALhRGuB+rQ2XRckD+ehYaPMAoGCCqGSM49BAMCA0kAMEYCIQCJgbeETkajEB07YH/FrSF81aYuvzkbdfPxLLNL4J8m9QIhAOX07zKBbzdv0O0XJiyUVEg0C3cvVMUPkPljC6AIlTFk',
);

const csr = (name: string, signerName: string, content: string) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { request: content, signerName, usages: ['client auth'] },
});
/** The requester is recorded in the spec, with the fingerprint of a client certificate: this user has none. */
const requester = { 'impersonate-user': 'requester', 'impersonate-group': 'system:masters' };
const create = (name: string, signerName: string, content: string): Request => [
  'POST',
  `${csrs}?fieldManager=m`,
  csr(name, signerName, content),
  requester,
];
const approved = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }] } };
const failed = { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'r', message: 'm' }] } };
const as = (user: string) => ({ 'impersonate-user': user });
const patch = (name: string, part: string, body: object, user: string): Request => [
  'PATCH',
  `${csrs}/${name}/${part}?fieldManager=m`,
  body,
  { ...merge, ...as(user) },
];
/** May write CertificateSigningRequests, and act for the signers named. */
const grant = (name: string, verb: string, resourceNames: readonly string[]): Request[] => [
  [
    'POST',
    `${rbac}/clusterroles?fieldManager=m`,
    {
      metadata: { name },
      rules: [
        {
          apiGroups: [group],
          resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
          verbs: ['*'],
        },
        ...(resourceNames.length > 0 ? [{ apiGroups: [group], resources: ['signers'], resourceNames, verbs: [verb] }] : []),
      ],
    },
  ],
  [
    'POST',
    `${rbac}/clusterrolebindings?fieldManager=m`,
    {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    },
  ],
];
const drop = (...names: readonly string[]): Request[] =>
  names.flatMap((name): Request[] => [
    ['DELETE', `${rbac}/clusterroles/${name}`],
    ['DELETE', `${rbac}/clusterrolebindings/${name}`],
  ]);

const conversations: Conversations = {
  approval: [
    ...grant('NS-none', 'approve', []),
    ...grant('NS-one', 'approve', ['example.com/one']),
    ...grant('NS-all', 'approve', ['example.com/*']),
    ...grant('NS-sign', 'sign', ['example.com/*']),
    create('NS-1', 'example.com/one', developer),
    create('NS-2', 'example.com/two', developer),
    create('NS-3', 'example.com/one', developer),
    patch('NS-1', 'approval', approved, 'NS-none'),
    patch('NS-1', 'approval', approved, 'NS-sign'),
    patch('NS-1', 'approval', {}, 'NS-none'),
    patch('NS-2', 'approval', approved, 'NS-one'),
    // The signerName of the update is ignored.
    patch('NS-2', 'approval', { ...approved, spec: { signerName: 'example.com/one' } }, 'NS-one'),
    ['PUT', `${csrs}/NS-2/approval?fieldManager=m`, { ...csr('NS-2', 'example.com/one', developer), ...approved }, as('NS-one')],
    [
      'PATCH',
      `${csrs}/NS-2/approval?fieldManager=m`,
      { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', ...approved },
      { ...apply, ...as('NS-one') },
    ],
    patch('NS-1', 'approval', approved, 'NS-one'),
    patch('NS-2', 'approval', approved, 'NS-all'),
    patch('NS-3', 'approval', { status: { conditions: [{ type: 'Denied', status: 'True', reason: 'r' }] } }, 'NS-none'),
    patch('NS-3', 'approval', { status: { conditions: [{ type: 'Denied', status: 'True', reason: 'r' }] } }, 'NS-all'),
    ...drop('NS-none', 'NS-one', 'NS-all', 'NS-sign'),
    ['DELETE', `${csrs}/NS-1`],
    ['DELETE', `${csrs}/NS-2`],
    ['DELETE', `${csrs}/NS-3`],
  ],
  signing: [
    ...grant('NS-none', 'sign', []),
    ...grant('NS-one', 'sign', ['example.com/one']),
    ...grant('NS-all', 'sign', ['example.com/*']),
    ...grant('NS-approve', 'approve', ['example.com/*']),
    create('NS-1', 'example.com/one', developer),
    create('NS-2', 'example.com/two', developer),
    ['PATCH', `${csrs}/NS-1/approval?fieldManager=m`, approved, merge],
    ['PATCH', `${csrs}/NS-2/approval?fieldManager=m`, approved, merge],
    patch('NS-1', 'status', { status: { certificate } }, 'NS-none'),
    patch('NS-1', 'status', { status: { certificate } }, 'NS-approve'),
    patch('NS-2', 'status', { status: { certificate } }, 'NS-one'),
    patch('NS-2', 'status', { status: { conditions: [...approved.status.conditions, ...failed.status.conditions] } }, 'NS-one'),
    // A change of labels is not a signature.
    patch('NS-1', 'status', { metadata: { labels: { a: 'b' } } }, 'NS-none'),
    patch('NS-1', 'status', { status: { certificate } }, 'NS-one'),
    patch('NS-2', 'status', { status: { certificate } }, 'NS-all'),
    ...drop('NS-none', 'NS-one', 'NS-all', 'NS-approve'),
    ['DELETE', `${csrs}/NS-1`],
    ['DELETE', `${csrs}/NS-2`],
  ],
  subjects: [
    create('NS', 'kubernetes.io/kube-apiserver-client', administrator),
    create('NS', 'kubernetes.io/kube-apiserver-client', both),
    ['PATCH', `${csrs}/NS?fieldManager=m`, csr('NS', 'kubernetes.io/kube-apiserver-client', administrator), apply],
    create('NS', 'kubernetes.io/kube-apiserver-client', 'AAAA'),
    create('NS', 'kubernetes.io/kube-apiserver-client', developer),
    ['DELETE', `${csrs}/NS`],
    create('NS', 'example.com/signer', administrator),
    ['DELETE', `${csrs}/NS`],
  ],
};

export default conversations;
