import type { Alias, LineCounter, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { ParsedJson } from '../json/parse.ts';
import { type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import { type Library, YamlSyntaxError } from './document.ts';
import { keyText, scalarValue } from './resolve.ts';

type AnyNode = Node | null | undefined;

/** Converts YAML nodes to JSON. */
export class NodeConverter {
  readonly #library: Library;
  readonly #lines: LineCounter;
  readonly #maxDepth: number;
  readonly #budget = new AliasBudget();
  readonly #anchors = new Map<string, Node>();
  /** The nodes of aliases: the anchor that was current when the alias was first seen. */
  readonly #targets = new Map<Alias, Node>();
  readonly #open = new Set<Alias>();
  readonly #duplicates: string[] = [];
  #depth = 0;

  constructor(library: Library, lines: LineCounter, maxDepth: number) {
    this.#library = library;
    this.#lines = lines;
    this.#maxDepth = maxDepth;
  }

  convert(root: AnyNode): ParsedJson {
    const value = this.#value(root);
    if (this.#duplicates.length === 0) return { value, duplicates: [] };
    return { value, duplicates: [`yaml: unmarshal errors:\n  ${this.#duplicates.join('\n  ')}`] };
  }

  #value(node: AnyNode): JsonValue {
    this.#budget.spend();
    if (!node) return null;
    const { isAlias, isMap, isSeq } = this.#library;
    if (isAlias(node)) return this.#through(node, (target) => this.#value(target));
    if (node.anchor) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#deeper(() => this.#mapping(node, {}));
    if (isSeq(node)) return this.#deeper(() => this.#list(node));
    return scalarValue(node as Scalar);
  }

  #list(list: YAMLSeq): JsonValue[] {
    return list.items.map((item) => this.#value(item as AnyNode));
  }

  #mapping(mapping: YAMLMap, object: JsonObject): JsonObject {
    for (const pair of mapping.items as Pair<AnyNode, AnyNode>[]) {
      if (this.#isMerge(pair.key)) this.#merge(pair.value, object);
      else this.#member(pair, object);
    }
    return object;
  }

  #member({ key: keyNode, value: valueNode }: Pair<AnyNode, AnyNode>, object: JsonObject): void {
    const key = this.#value(keyNode);
    if (typeof key === 'object' && key !== null) throw new YamlSyntaxError('yaml: invalid map key');
    const text = keyText(key);
    const value = this.#value(valueNode);
    if (Object.hasOwn(object, text))
      this.#duplicates.push(`line ${this.#lineOf(valueNode, keyNode)}: key ${shownKey(key)} already set in map`);
    setKey(object, text, value);
  }

  #isMerge(key: AnyNode): boolean {
    if (!this.#library.isScalar(key) || key.source !== '<<') return false;
    return key.tag === undefined ? key.type === 'PLAIN' : key.tag === 'tag:yaml.org,2002:merge';
  }

  /** Merge keys (`<<`): adds members of other mappings; earlier mappings win. */
  #merge(node: AnyNode, object: JsonObject): void {
    const { isAlias, isMap, isSeq } = this.#library;
    if (isSeq(node)) {
      for (const item of [...node.items].reverse()) this.#mergeOne(item as AnyNode, object);
    } else if (isMap(node) || isAlias(node)) {
      this.#mergeOne(node, object);
    } else {
      throw wantsMap();
    }
  }

  #mergeOne(node: AnyNode, object: JsonObject): void {
    const { isAlias, isMap } = this.#library;
    this.#budget.spend();
    if (isAlias(node)) this.#through(node, (target) => this.#mergeOne(target, object));
    else if (isMap(node)) this.#deeper(() => this.#mapping(node, object));
    else throw wantsMap();
  }

  #through<T>(alias: Alias, use: (target: Node) => T): T {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target === undefined) throw new YamlSyntaxError(`yaml: unknown anchor '${alias.source}' referenced`);
    if (this.#open.has(alias)) throw new YamlSyntaxError(`yaml: anchor '${alias.source}' value contains itself`);
    this.#targets.set(alias, target);
    this.#open.add(alias);
    this.#budget.enterAlias();
    const result = use(target);
    this.#budget.leaveAlias();
    this.#open.delete(alias);
    return result;
  }

  #deeper<T>(read: () => T): T {
    if (++this.#depth > this.#maxDepth) throw new YamlSyntaxError(`yaml: exceeded max depth of ${this.#maxDepth}`);
    const result = read();
    this.#depth--;
    return result;
  }

  #lineOf(value: AnyNode, key: AnyNode): number {
    const range = value?.range ?? key?.range;
    return range ? this.#lines.linePos(range[0]).line : 0;
  }
}

function wantsMap(): YamlSyntaxError {
  return new YamlSyntaxError('yaml: map merge requires map or sequence of maps as the value');
}

function shownKey(key: JsonValue): string {
  return typeof key === 'string' ? JSON.stringify(key) : String(key);
}

/** Up to the first number of nodes nearly all may come from aliases; beyond the second, one in ten. */
const small = 400_000;
const large = 4_000_000;

/** Protects against alias bombs ("billion laughs"), with the limits of Go's yaml package. */
class AliasBudget {
  #nodes = 0;
  #aliased = 0;
  #depth = 0;

  enterAlias(): void {
    this.#depth++;
  }

  leaveAlias(): void {
    this.#depth--;
  }

  /** Counts a node. Throws YamlSyntaxError if too many come from aliases. */
  spend(): void {
    this.#nodes++;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased <= 100 || this.#nodes <= 1_000) return;
    if (this.#aliased / this.#nodes > this.#allowedRatio())
      throw new YamlSyntaxError('yaml: document contains excessive aliasing');
  }

  #allowedRatio(): number {
    if (this.#nodes <= small) return 0.99;
    return this.#nodes >= large ? 0.1 : 0.99 - (0.89 * (this.#nodes - small)) / (large - small);
  }
}
