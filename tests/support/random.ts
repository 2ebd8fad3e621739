export { type SeededRandom as Random, seeded } from '../../packages/storage/src/contract/support.ts';
