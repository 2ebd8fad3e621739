import type { Expr } from './ast.ts';
import { type Issues, nowhere } from './source.ts';
import { ParseAbort } from './token-stream.ts';

const maxDepth = 250;
/** Limit of the tree size: some macros duplicate their target. */
const maxNodes = 20_000;

/** Limits the nesting of grammar rules and of the tree. */
export class DepthCount {
  readonly #issues: Issues;
  readonly #rules = new Map<string, number>();
  readonly #trees = new Map<Expr, number>();
  readonly #sizes = new Map<Expr, number>();

  constructor(issues: Issues) {
    this.#issues = issues;
  }

  enter(rule: string): void {
    const depth = (this.#rules.get(rule) ?? 0) + 1;
    if (depth > maxDepth) this.#abort(`expression recursion limit exceeded: ${maxDepth}`);
    this.#rules.set(rule, depth);
  }

  leave(rule: string, times = 1): void {
    this.#rules.set(rule, (this.#rules.get(rule) ?? times) - times);
  }

  /** Records the depth and size of a tree. `counts` is false for nodes that do not add depth. */
  note(expr: Expr, children: readonly Expr[], counts: boolean): void {
    let depth = 0;
    for (const child of children) depth = Math.max(depth, this.#trees.get(child) ?? 0);
    this.#trees.set(expr, depth + (counts ? 1 : 0));
    this.#sizes.set(expr, this.sizeOf(children) + 1);
  }

  /** Aborts if duplicating the tree would exceed the limit. */
  checkCopy(expr: Expr): void {
    const size = 2 * this.sizeOf([expr]);
    if (size > maxNodes) this.#abort(`expression size exceeds limit: ${maxNodes}`);
    this.#sizes.set(expr, size);
  }

  sizeOf(trees: readonly Expr[]): number {
    return trees.reduce((sum, tree) => sum + (this.#sizes.get(tree) ?? 1), 0);
  }

  checkTree(expr: Expr): void {
    if ((this.#trees.get(expr) ?? 0) > maxDepth) this.#abort('max recursion depth exceeded');
  }

  #abort(message: string): never {
    this.#issues.report(nowhere, message);
    throw new ParseAbort();
  }
}
