import type { TextEdit } from "./resolution.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import type { Token } from "../parse/tokenize.ts";
import { closingAfter } from "./sql-tokens.ts";

type CastTypes = Readonly<Record<string, string>>;

/**
 * Types whose casts differ between a dialect and DuckDB, with the macros that replace them. Other casts are the
 * same.
 */
const castTypes: Readonly<Record<SqlSpelling, CastTypes>> = {
  postgresql: {
    ...casts("cast_smallint", "smallint int2"),
    ...casts("cast_integer", "integer int int4"),
    ...casts("cast_bigint", "bigint int8"),
    // A numeric without declared digits can have any size in PostgreSQL, but has 18 digits in DuckDB.
    ...casts("cast_numeric", "numeric decimal dec"),
    ...casts("cast_text", "text varchar"),
    "character varying": "cast_text",
    ...casts("cast_json", "jsonb"),
  },
  sqlite: {
    ...casts("cast_integer", "integer int"),
    ...casts("cast_numeric", "numeric decimal"),
    ...casts("cast_real", "real"),
    ...casts("cast_text", "text"),
  },
  duckdb: {},
};

function casts(macro: string, types: string): CastTypes {
  return Object.fromEntries(types.split(" ").map((type) => [type, macro]));
}

/**
 * Rewrites `cast(x as text)` and `x::text` as `cast_text(x)`. If two casts start at one position, the outer one
 * comes first.
 */
export function castEdits(
  tokens: readonly Token[],
  spelling: SqlSpelling,
  rounded: ReadonlySet<number>,
): TextEdit[] {
  const types = castTypes[spelling];
  const edits: TextEdit[] = [];
  for (const [index, { text, depth }] of tokens.entries()) {
    const isCall = text === "cast" && tokens[index + 1]?.text === "(";
    if (!isCall && text !== "::") continue;
    const close = closingAfter(tokens, index);
    const as = isCall
      ? tokens.findLastIndex(
          (token, at) => at < close && token.text === "as" && token.depth === depth + 1,
        )
      : index;
    const type = typeAt(tokens, as + 1);
    const macro = types[type.name];
    if (macro === undefined) continue;
    const from = isCall ? index : operandBefore(tokens, index);
    const start = tokens[from]?.start ?? 0;
    const open = isCall ? (tokens[index + 1]?.end ?? 0) : start;
    const asAt = tokens[as]?.start ?? 0;
    if (type.length !== undefined && macro !== "cast_text") {
      // PostgreSQL reads 15 digits of a float before it rounds to those of `numeric(12, 2)`.
      if (spelling === "postgresql" && macro === "cast_numeric")
        edits.unshift({ start: open, text: "shown_digits(" }, { start: asAt, text: ")" });
      continue;
    }
    const isRounded = spelling === "postgresql" && rounded.has(asAt);
    const inner = isRounded ? ["round_numeric(", ")"] : ["", ""];
    const cut = type.length === undefined ? ["", ""] : [`"left"(`, `, ${type.length})`];
    const end = isCall ? (tokens[close]?.end ?? 0) : type.end;
    edits.unshift(
      { start, end: open, text: `${cut[0]}${macro}(${inner[0]}` },
      { start: asAt, end, text: `${inner[1]})${cut[1]}` },
    );
  }
  return edits;
}

/** Reads the type at a position. `length` is the first argument in its parentheses. */
function typeAt(
  tokens: readonly Token[],
  at: number,
): { name: string; length: string | undefined; end: number } {
  const [first, second] = tokens.slice(at, at + 2);
  const isTwo = second?.text === "varying" || second?.text === "precision";
  const [last, open, length, close] = tokens.slice(isTwo ? at + 1 : at);
  const name = isTwo ? `${first?.text} ${second.text}` : (first?.text ?? "");
  return open?.text === "(" && last?.end !== undefined
    ? { name, length: length?.text, end: close?.end ?? 0 }
    : { name, length: undefined, end: last?.end ?? 0 };
}

const notCalled: ReadonlySet<string> = new Set(
  "and or not in when then else case select distinct where on by having between like as is".split(
    " ",
  ),
);

const typeWords = /^(?:date|interval|time|timestamp|timestamptz)$/;

/** Finds the start of the operand of `::`: a name, a literal, a call, or a parenthesized expression. */
function operandBefore(tokens: readonly Token[], at: number): number {
  let index = at - 1;
  const textAt = (place: number): string => tokens[place]?.text ?? "";
  const opens: Readonly<Record<string, string>> = { ")": "(", "]": "[", end: "case" };
  let open = opens[textAt(index)];
  while (open !== undefined) {
    const close = textAt(index);
    for (let depth = 1; depth > 0 && index > 0;) {
      index -= 1;
      if (textAt(index) === close) depth += 1;
      if (textAt(index) === open) depth -= 1;
    }
    const before = tokens[index - 1];
    if (close === "]") index -= 1;
    else if (close === ")" && before?.kind === "word" && !notCalled.has(before.text)) index -= 1;
    open = close === "]" ? opens[textAt(index)] : undefined;
  }
  while (textAt(index - 1) === ".") index -= 2;
  const isTyped = tokens[index]?.kind === "text" && typeWords.test(textAt(index - 1));
  if (isTyped) index -= 1;
  return textAt(index - 1) === "::" ? operandBefore(tokens, index - 1) : index;
}
