export { certificateApproving } from './approving.ts';
export { certificateCleaner } from './cleaner.ts';
export { certificateSigning } from './signing.ts';
