import type { TextEdit } from "./resolution.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import type { SqlToken } from "./sql-tokens.ts";

type CastTypes = Readonly<Record<string, string>>;

/** The macros that cast to a type as a dialect does; all else DuckDB casts alike. */
const castTypes: Readonly<Record<SqlSpelling, CastTypes>> = {
  postgresql: {
    ...casts("cast_smallint", "smallint int2"),
    ...casts("cast_integer", "integer int int4"),
    ...casts("cast_bigint", "bigint int8"),
    // Without digits a number is of any size in PostgreSQL, and of 18 digits in DuckDB.
    ...casts("cast_numeric", "numeric decimal dec"),
    ...casts("cast_text", "text varchar"),
    "character varying": "cast_text",
    ...casts("json", "jsonb"),
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

/** `cast(x as text)` and `x::text` as `cast_text(x)`; the outer one of two that begin in a place comes first. */
export function castEdits(tokens: readonly SqlToken[], spelling: SqlSpelling): TextEdit[] {
  const types = castTypes[spelling];
  const edits: TextEdit[] = [];
  for (const [index, { text }] of tokens.entries()) {
    const isCall = text === "cast" && tokens[index + 1]?.text === "(";
    const end = isCall ? closing(tokens, index + 1) : index;
    const as = isCall ? asBefore(tokens, end) : index;
    const type = isCall || text === "::" ? typeAt(tokens, as + 1) : undefined;
    const macro = type === undefined ? undefined : types[type.name];
    if (type === undefined || macro === undefined) continue;
    const length = type.length === undefined ? undefined : `, ${type.length})`;
    if (length !== undefined && macro !== "cast_text") continue;
    const from = tokens[isCall ? index : operandBefore(tokens, index)]?.start ?? 0;
    const [open, close] = macro === "json" ? ["CAST(", " AS json)"] : [`${macro}(`, ")"];
    edits.unshift(
      {
        start: from,
        end: isCall ? (tokens[index + 1]?.end ?? 0) : from,
        text: length === undefined ? open : `"left"(${open}`,
      },
      {
        start: tokens[as]?.start ?? 0,
        end: isCall ? (tokens[end]?.end ?? 0) : type.end,
        text: `${close}${length ?? ""}`,
      },
    );
  }
  return edits;
}

/** Where the parenthesis closes that opens in a place. */
function closing(tokens: readonly SqlToken[], open: number): number {
  const depth = tokens[open]?.depth ?? 0;
  return tokens.findIndex(
    (token, index) => index > open && token.text === ")" && token.depth === depth,
  );
}

function asBefore(tokens: readonly SqlToken[], close: number): number {
  const depth = (tokens[close]?.depth ?? 0) + 1;
  return tokens.findLastIndex(
    (token, index) => index < close && token.text === "as" && token.depth === depth,
  );
}

/** The type that begins in a place; `length` is what stands in its parentheses. */
function typeAt(
  tokens: readonly SqlToken[],
  at: number,
): { name: string; length: string | undefined; end: number } | undefined {
  const first = tokens[at];
  const second = tokens[at + 1];
  if (first?.kind !== "word") return undefined;
  const isTwo = second?.text === "varying" || second?.text === "precision";
  const last = isTwo ? at + 1 : at;
  const name = isTwo ? `${first.text} ${second.text}` : first.text;
  if (tokens[last + 1]?.text !== "(")
    return { name, length: undefined, end: (isTwo ? second : first).end };
  const close = closing(tokens, last + 1);
  const length = tokens
    .slice(last + 2, close)
    .map(({ text }) => text)
    .join("");
  return { name, length, end: tokens[close]?.end ?? 0 };
}

/** Where the operand of `::` begins: a name, a literal, a call, or what stands in parentheses. */
function operandBefore(tokens: readonly SqlToken[], at: number): number {
  let index = at - 1;
  const skip = (open: string, close: string): void => {
    for (let depth = 0; index >= 0; index--) {
      if (tokens[index]?.text === close) depth += 1;
      if (tokens[index]?.text === open) depth -= 1;
      if (depth === 0) return;
    }
  };
  while (tokens[index]?.text === "]") {
    skip("[", "]");
    index -= 1;
  }
  if (tokens[index]?.text === ")") {
    skip("(", ")");
    if (
      tokens[index - 1]?.kind === "word" &&
      !/^(?:and|or|not|in|when|then|else|case|select|where|on|by|having|between|like|as|is)$/.test(
        tokens[index - 1]?.text ?? "",
      )
    )
      index -= 1;
  } else if (tokens[index]?.text === "end") skip("case", "end");
  else if (tokens[index - 1]?.text === "::") return operandBefore(tokens, index - 1);
  while (tokens[index - 1]?.text === "." && index > 1) index -= 2;
  if (tokens[index - 1]?.text === "::") return operandBefore(tokens, index - 1);
  return index;
}
