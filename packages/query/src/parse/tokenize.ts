import { invalidExpression, quoted } from "./parse-issue.ts";

/** A token of an expression or an arrow form. */
export interface Token {
  /** `word`: a bare name. `name`: one in double quotes. `text`: one in single quotes, without them. */
  kind: "word" | "name" | "text" | "number" | "symbol" | "end";
  value: string;
  /** Start offset in the text. */
  at: number;
  /** End offset. */
  end: number;
}

// Sticky patterns. Each is linear: no two alternatives begin alike.
const space = /[\s\uFEFF]+/y;
const word = /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy;
const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const symbol = /->|→|<=|>=|<>|!=|==|\|\||[-+*/%=<>(),.:]/y;

/** Splits a text into tokens, ending with `end`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const skipped = match(space, text, at);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const token = readToken(text, at);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", value: "", at, end: at });
  return tokens;
}

function readToken(text: string, at: number): Token {
  const first = text[at];
  if (first === "'") return readQuoted(text, at, "text");
  if (first === '"') return readQuoted(text, at, "name");
  for (const [kind, pattern] of [
    ["word", word],
    ["number", number],
    ["symbol", symbol],
  ] as const) {
    const value = match(pattern, text, at);
    if (value !== undefined) return { kind, value, at, end: at + value.length };
  }
  throw invalidExpression(
    `${quoted(first)} at character ${at + 1} begins nothing; write text in single quotes and unusual names in double quotes.`,
  );
}

/** A doubled quote escapes one. */
function readQuoted(text: string, at: number, kind: "text" | "name"): Token {
  const quote = kind === "text" ? "'" : '"';
  let value = "";
  let from = at + 1;
  for (;;) {
    const close = text.indexOf(quote, from);
    if (close < 0) {
      throw invalidExpression(`The ${quote} at character ${at + 1} is never closed.`);
    }
    value += text.slice(from, close);
    if (text[close + 1] !== quote) return { kind, value, at, end: close + 1 };
    value += quote;
    from = close + 2;
  }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
