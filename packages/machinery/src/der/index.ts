export type { DerElement } from './reader.ts';
export { derElements, insideDer, MalformedDer } from './reader.ts';
