export { statusSubresource } from '@tsukube/apiserver';
