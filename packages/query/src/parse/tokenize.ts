/** A token in a statement, an expression or an arrow form. */
export interface Token {
  /** `quoted`: a name in quotation marks. `text`: a string in single quotes. Only readers append an `end`. */
  kind: "word" | "quoted" | "text" | "number" | "symbol" | "end";
  /** The text as written. Words are in lower case. */
  text: string;
  start: number;
  end: number;
  /** Number of parentheses open before the token. */
  depth: number;
}

const pieces = String.raw`(?<text>[eE]?'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|\x60[^\x60]*\x60|\[[A-Za-z_][\w ]*\])|(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?<word>[\p{L}_][\p{L}\p{N}\p{M}_$]*)|(?<symbol>::|->>|->|<>|[<>!=]=|\|\||!?~~?\*?|[^])`;
const comments = String.raw`--[^\n]*|/\*[^]*?\*/`;

/** Splits text into tokens. Skips whitespace, and also comments if `hasComments` is true. */
export function tokenize(text: string, { hasComments }: { hasComments: boolean }): Token[] {
  const blank = hasComments ? String.raw`\s+|${comments}` : String.raw`\s+`;
  const tokens: Token[] = [];
  let depth = 0;
  for (const { 0: piece, groups = {}, index } of text.matchAll(
    new RegExp(`(?<blank>${blank})|${pieces}`, "guy"),
  )) {
    const kind = kindOf(groups);
    if (kind === undefined) continue;
    // A closing parenthesis has the same depth as its opening one.
    if (piece === ")") depth -= 1;
    const written = kind === "word" ? piece.toLowerCase() : piece;
    tokens.push({ kind, text: written, start: index, end: index + piece.length, depth });
    if (piece === "(") depth += 1;
  }
  return tokens;
}

function kindOf(groups: Record<string, string | undefined>): Token["kind"] | undefined {
  const kinds = ["text", "quoted", "number", "word", "symbol"] as const;
  return kinds.find((kind) => groups[kind] !== undefined);
}
