import { invalidExpression, PlanSyntaxError, quoted } from "./parse-issue.ts";
import { planLimits } from "./plan-limits.ts";
import { tokenize, type Token } from "./tokenize.ts";

/** Counts the nodes of a whole plan across all its strings. */
export interface NodeCount {
  nodes: number;
}

/** Reads text token by token, within the limits for plans. */
export class TokenReader {
  readonly #text: string;
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
    this.#text = text;
    this.#tokens = tokenize(text, { hasComments: false });
    for (const token of this.#tokens) checkToken(token);
    const end = text.length;
    this.#tokens.push({ kind: "end", text: "", start: end, end, depth: 0 });
    this.#count = count;
  }

  /** Returns the token `ahead` places after the next one, without consuming it. */
  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw invalidExpression("The text is empty.");
    return token;
  }

  /** Consumes a token and returns its value: a name or string without quotes, or a word as spelled. */
  take(): string {
    const { kind, start, end } = this.peek();
    this.#at += 1;
    const written = this.#text.slice(start, end);
    if (kind !== "quoted" && kind !== "text") return written;
    const quote = written.charAt(0);
    return written.slice(1, -1).replaceAll(quote + quote, quote);
  }

  /** True if the token is this symbol or keyword. Keywords match in any case. */
  is(wanted: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return text === wanted && (kind === "symbol" || kind === "word");
  }

  accept(wanted: string): boolean {
    const isNext = this.is(wanted);
    if (isNext) this.#at += 1;
    return isNext;
  }

  expect(wanted: string): void {
    if (!this.accept(wanted)) this.fail(/\w/.test(wanted) ? wanted.toUpperCase() : `"${wanted}"`);
  }

  expectEnd(): void {
    if (this.peek().kind !== "end") this.fail("the end");
  }

  /** Throws an error that says what was expected instead of the next token. */
  fail(expected: string): never {
    const { kind, start, end } = this.peek();
    const found =
      kind === "end" ? "the text ends" : `found ${quoted(this.#text.slice(start, end))}`;
    throw invalidExpression(`Expected ${expected}, but ${found} at character ${start + 1}.`);
  }

  /** Consumes everything up to a comma, a closing bracket or the word `stop` outside inner brackets. */
  takeText(stop?: string): string {
    const { start, depth } = this.peek();
    let end = start;
    while (this.peek().kind !== "end" && this.peek().depth >= depth) {
      const isOver = this.is(",") || (stop !== undefined && this.is(stop));
      if (isOver && this.peek().depth === depth) break;
      ({ end } = this.peek());
      this.#at += 1;
    }
    return this.#text.slice(start, end);
  }

  countNode(): void {
    this.#count.nodes += 1;
    if (this.#count.nodes <= planLimits.nodes) return;
    throw new PlanSyntaxError(
      "limit_exceeded",
      `The plan has more than ${planLimits.nodes} parts; split the task.`,
    );
  }

  /** Runs an action one nesting level deeper. */
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

/** Rejects tokens that are allowed in statements but not in plans: other quotation marks and operators. */
function checkToken({ kind, text, start }: Token): void {
  if (text === "'" || text === '"')
    throw invalidExpression(`The ${text} at character ${start + 1} is never closed.`);
  const isKnown =
    kind === "symbol"
      ? /^(?:->|→|<=|>=|<>|!=|==|::|\|\||[-+*/%=<>(),.:])$/.test(text)
      : (kind !== "text" && kind !== "quoted") || /^['"]/.test(text);
  if (isKnown) return;
  throw invalidExpression(
    `${quoted(text)} at character ${start + 1} is unexpected; write text in single quotes and unusual names in double quotes.`,
  );
}
