export { onFirstClose, startTestServer } from './start.ts';
