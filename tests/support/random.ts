export { type Random, seeded } from '../../packages/storage/src/contract/random.ts';
