/** A question of one process to another, and its answer. */
export type Dialogue =
  | { readonly type: 'question'; readonly id: number; readonly subject: string }
  | { readonly type: 'answer'; readonly id: number; readonly text: string }
  | { readonly type: 'refusal'; readonly id: number; readonly reason: string };

interface Waiting {
  readonly timer: NodeJS.Timeout;
  resolve(text: string): void;
  reject(error: Error): void;
}

const maxWaiting = 1000;

/** Questions and answers over the IPC channel between two processes. Every question has a deadline. */
export class Questions {
  readonly #send: (message: Dialogue) => void;
  readonly #answer: (subject: string) => Promise<string>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(send: (message: Dialogue) => void, answer: (subject: string) => Promise<string>) {
    this.#send = send;
    this.#answer = answer;
  }

  ask(subject: string, timeoutMs: number): Promise<string> {
    if (this.#waiting.size >= maxWaiting) return Promise.reject(new Error('too many questions wait for an answer'));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const late = () => this.#take(id)?.reject(new Error(`no answer within ${timeoutMs} ms`));
      this.#waiting.set(id, { timer: setTimeout(late, timeoutMs), resolve, reject });
      this.#send({ type: 'question', id, subject });
    });
  }

  receive(message: Dialogue): void {
    if (message.type === 'answer') this.#take(message.id)?.resolve(message.text);
    else if (message.type === 'refusal') this.#take(message.id)?.reject(new Error(message.reason));
    else void this.#reply(message.id, message.subject);
  }

  /** The other process has ended. */
  end(): void {
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(new Error('the process has ended'));
  }

  /** Never rejects. */
  async #reply(id: number, subject: string): Promise<void> {
    try {
      this.#send({ type: 'answer', id, text: await this.#answer(subject) });
    } catch (error) {
      this.#send({ type: 'refusal', id, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    return waiting;
  }
}

export function isDialogue(message: { readonly type: string }): message is Dialogue {
  return message.type === 'question' || message.type === 'answer' || message.type === 'refusal';
}
