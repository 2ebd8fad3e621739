export { keepRenewed, openPki, type Pki, type Renewal, servingHosts } from './pki.ts';
