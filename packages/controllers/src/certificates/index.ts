export { certificateApproving } from './approving.ts';
export { certificateCleaner } from './cleaner.ts';
export { certificateSigningController } from './signing.ts';
