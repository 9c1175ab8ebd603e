import { invalidExpression, PlanSyntaxError, quoted } from "./parse-issue.ts";
import { planLimits } from "./plan-limits.ts";
import { tokenize, type Token } from "./tokenize.ts";

/** Counts the nodes of a whole plan across its texts. */
export interface NodeCount {
  nodes: number;
}

/** Reads a text token by token, within the limits of plans. */
export class TokenReader {
  readonly text: string;
  readonly #tokens: Token[];
  readonly #count: NodeCount;
  #at = 0;
  #depth = 0;

  constructor(text: string, count: NodeCount) {
    const { textLength: max } = planLimits;
    if (text.length > max) {
      const message = `The text has ${text.length} characters of at most ${max}.`;
      throw new PlanSyntaxError("limit_exceeded", message);
    }
    this.text = text;
    this.#tokens = tokenize(text);
    this.#count = count;
  }

  /** The token `ahead` of the next one, without taking it. */
  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw invalidExpression("The text is empty.");
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  isSymbol(value: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "symbol" && token.value === value;
  }

  /** Words of the grammar ignore case. */
  isWord(value: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "word" && token.value.toLowerCase() === value;
  }

  takeSymbol(value: string): boolean {
    const isNext = this.isSymbol(value);
    if (isNext) this.#at += 1;
    return isNext;
  }

  takeWord(value: string): boolean {
    const isNext = this.isWord(value);
    if (isNext) this.#at += 1;
    return isNext;
  }

  expectSymbol(value: string): void {
    if (!this.takeSymbol(value)) this.fail(`"${value}"`);
  }

  expectWord(value: string): void {
    if (!this.takeWord(value)) this.fail(value.toUpperCase());
  }

  expectEnd(): void {
    if (this.peek().kind !== "end") this.fail("the end");
  }

  /** Throws with what was expected in place of the next token. */
  fail(expected: string): never {
    const { kind, value, at } = this.peek();
    const found = kind === "end" ? "the text ends" : `${quoted(value)} stands`;
    throw invalidExpression(`Expected ${expected}, but ${found} at character ${at + 1}.`);
  }

  /** Continues after a piece that another parser read. */
  jumpTo(end: number): void {
    while (this.peek().kind !== "end" && this.peek().at < end) this.#at += 1;
  }

  countNode(): void {
    this.#count.nodes += 1;
    if (this.#count.nodes <= planLimits.nodes) return;
    throw new PlanSyntaxError(
      "limit_exceeded",
      `The plan has more than ${planLimits.nodes} parts; split the task.`,
    );
  }

  /** Runs an action one level deeper. */
  nested<T>(action: () => T): T {
    this.#depth += 1;
    if (this.#depth > planLimits.depth) {
      throw new PlanSyntaxError(
        "limit_exceeded",
        `Expressions nest deeper than ${planLimits.depth} levels.`,
      );
    }
    try {
      return action();
    } finally {
      this.#depth -= 1;
    }
  }
}
