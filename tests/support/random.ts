export { type Random, seeded } from '../../packages/storage/src/contract/support.ts';
