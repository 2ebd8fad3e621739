import { createHash } from 'node:crypto';

/** What tells flows apart: the schema, and who or where within it. */
export function flowHash(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64LE(0);
}

/** The queues that a flow may use: a hand of different cards, dealt from a deck by the digits of a hash. */
export function dealHand(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  const remainders: number[] = [];
  let rest = hash;
  for (let i = 0; i < handSize; i++) {
    const left = BigInt(deckSize - i);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  for (let i = 0; i < handSize; i++) hand.push(cardAt(remainders, i));
  return hand;
}

/** A remainder counts the cards that are left: those that were dealt before are stepped over. */
function cardAt(remainders: readonly number[], i: number): number {
  let card = remainders[i] as number;
  for (let j = i; j > 0; j--) if (card >= (remainders[j - 1] as number)) card++;
  return card;
}
