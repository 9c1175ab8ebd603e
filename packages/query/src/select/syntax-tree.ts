import { isRecord } from "@ccl/core/json";
import type { Token } from "../parse/tokenize.ts";

/** A node of the parser's tree: members by name, or one member that names a variant, like `{ Select: {...} }`. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** A name in the text. */
export interface Identifier {
  value: string;
  /** The quotation mark before it. Undefined for a bare name. */
  quote: string | undefined;
  start: number;
  end: number;
}

/** The variant of a node and its content. Undefined if it is not a variant. */
export function variantOf(value: unknown): { tag: string; content: unknown } | undefined {
  if (!isRecord(value)) return undefined;
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || others.length > 0 || !/^[A-Z]/.test(tag)) return undefined;
  return { tag, content: value[tag] };
}

/** The node at a path of members. An empty node if there is none. */
export function nodeOf(value: unknown, ...path: readonly string[]): SyntaxNode {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return isRecord(found) ? found : {};
}

/** The list at a path of members. Empty if there is none. */
export function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  let found: unknown = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return Array.isArray(found) ? found : [];
}

/** True for the parser's placeholder of an omitted part. */
export function isAbsent(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Converts the parser's positions (lines and characters from 1) into offsets. */
export class SyntaxPlaces {
  readonly #tokens: readonly Token[];
  readonly #lines: readonly { start: number; characters: readonly string[] | undefined }[];

  constructor(text: string, tokens: readonly Token[]) {
    this.#tokens = tokens;
    let start = 0;
    this.#lines = text.split("\n").map((line) => {
      const isPlain = !/[\uD800-\uDFFF]/.test(line);
      const entry = { start, characters: isPlain ? undefined : [...line] };
      start += line.length + 1;
      return entry;
    });
  }

  /** The name of a node. Undefined for other nodes. */
  identifier(value: unknown): Identifier | undefined {
    if (!isRecord(value)) return undefined;
    if (isRecord(value["Identifier"])) return this.identifier(value["Identifier"]);
    const { value: name, quote_style: quote, span } = value;
    if (typeof name !== "string" || !isRecord(span)) return undefined;
    return {
      value: name,
      quote: typeof quote === "string" ? quote : undefined,
      start: this.#offset(span["start"]),
      end: this.#offset(span["end"]),
    };
  }

  /** Start offset of a token in the tree. */
  start(token: unknown): number {
    return this.#offset(nodeOf(token, "span")["start"]);
  }

  /** The first token after an expression that has one of these texts. */
  tokenAfter(expression: unknown, ...texts: readonly string[]): Token | undefined {
    const end = this.#endOf(expression);
    return this.#tokens.find((token) => token.start >= end && texts.includes(token.text));
  }

  #endOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return 0;
    const ends = Object.entries(value).map(([name, member]) =>
      name === "span" ? this.#offset(nodeOf(member)["end"]) : this.#endOf(member),
    );
    return Math.max(0, ...ends);
  }

  /** Names joined by dots. Empty if one of them is not a name. */
  path(values: readonly unknown[]): Identifier[] {
    const names = values.map((value) => this.identifier(value));
    return names.every((name) => name !== undefined) ? names : [];
  }

  /** The names of a column expression. Empty for other expressions. */
  column(expression: unknown): Identifier[] {
    const found = variantOf(expression);
    if (found?.tag === "Identifier") return this.path([found.content]);
    return found?.tag === "CompoundIdentifier" ? this.path(listOf(found.content)) : [];
  }

  #offset(value: unknown): number {
    const { line, column } = nodeOf(value);
    const found = this.#lines[Number(line) - 1];
    if (found === undefined) return 0;
    const before = Number(column) - 1;
    if (found.characters === undefined) return found.start + before;
    return found.start + found.characters.slice(0, before).join("").length;
  }
}
