import { isLong } from '../support/progress.ts';

/** `npm run test:faults -- --fault clock --rounds 20`; in `npm test` one round of each. */
export const rounds = Number(process.env.FAULTS_ROUNDS ?? 1);
export const seed = Number(process.env.FAULTS_SEED ?? 1);
const chosen = process.env.FAULTS_FAULT ?? 'all';

export type Fault = 'disk-full' | 'io-error' | 'sigstop' | 'clock';

export function isSkipped(fault: Fault): boolean {
  return chosen !== 'all' && chosen !== fault;
}

/** Timeout of a test: all rounds, start and end. */
export const limitMs = 60_000 + rounds * (isLong ? 60_000 : 30_000);

export function tellRound(fault: Fault, round: number, what: string): void {
  if (isLong) process.stdout.write(`  ${fault}: round ${round} of ${rounds}, ${what}\n`);
}
