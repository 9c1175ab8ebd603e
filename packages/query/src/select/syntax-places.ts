import { isRecord } from "@ccl/core/json";
import { listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import type { Token } from "../parse/tokenize.ts";

/** A name in the text. */
export interface Identifier {
  value: string;
  /** The opening quotation mark. Undefined for a bare name. */
  quote: string | undefined;
  start: number;
  end: number;
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

  /** Returns the name in a node, or undefined for other nodes. */
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

  /** Returns the start offset of a token in the tree. */
  start(token: unknown): number {
    return this.#offset(nodeOf(token, "span")["start"]);
  }

  /** Returns the first token after an expression that matches one of the texts. */
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

  /** Returns the parts of a dotted name. Empty if any part is not a name. */
  path(values: readonly unknown[]): Identifier[] {
    const names = values.map((value) => this.identifier(value));
    return names.every((name) => name !== undefined) ? names : [];
  }

  /** Returns the name of a called function in lower case. Empty for other nodes. */
  calledName(call: SyntaxNode): string {
    return this.path(listOf(call, "name")).at(-1)?.value.toLowerCase() ?? "";
  }

  /** Returns the names in a column expression. Empty for other expressions. */
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
