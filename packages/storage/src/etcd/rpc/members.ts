import { Unavailable } from '../../store.ts';
import type { Member } from './member.ts';

/** The members of the cluster, taken in turn, those without a connection passed over. */
export class Members {
  readonly #members: readonly Member[];
  #turn = 0;

  constructor(members: readonly Member[]) {
    this.#members = members;
  }

  get size(): number {
    return this.#members.length;
  }

  /** The next member that is connected, or undefined if none is. */
  next(): Member | undefined {
    for (let tried = 0; tried < this.#members.length; tried++) {
      const member = this.#members[this.#turn++ % this.#members.length] as Member;
      if (member.ready) return member;
    }
    return undefined;
  }

  /** Waits for a member to be connected. */
  async ready(deadline: number): Promise<Member> {
    const connected = this.next();
    if (connected) return connected;
    try {
      return await Promise.any(this.#members.map((member) => member.whenReady(deadline)));
    } catch (cause) {
      throw new Unavailable(`etcd: no connection to ${this.#members.map(({ url }) => url).join(', ')}`, {
        cause,
        unwritten: true,
      });
    }
  }

  close(): void {
    for (const member of this.#members) member.close();
  }
}
