/** A token of a statement. Comments and whitespace are skipped. */
export interface SqlToken {
  kind: "word" | "quoted" | "text" | "number" | "symbol";
  /** The text as written. Words are in lower case. */
  text: string;
  start: number;
  end: number;
  /** How many parentheses are open before it. */
  depth: number;
}

const pieces =
  /(?<blank>\s+|--[^\n]*|\/\*[^]*?\*\/)|(?<text>[eE]?'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`[^`]*`|\[[A-Za-z_][\w ]*\])|(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<symbol>::|->>|->|<>|[<>!=]=|\|\||!?~~?\*?|[^])/uy;

/** The tokens of a text that the parser accepted. */
export function sqlTokens(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  for (const { 0: piece, groups = {}, index } of text.matchAll(new RegExp(pieces, "guy"))) {
    if (groups["blank"] !== undefined) continue;
    // A closing parenthesis has the depth of its opening one.
    if (piece === ")") depth -= 1;
    const end = index + piece.length;
    const at = { start: index, end, depth };
    if (groups["word"] !== undefined)
      tokens.push({ kind: "word", text: piece.toLowerCase(), ...at });
    else tokens.push({ kind: kindOf(groups), text: piece, ...at });
    if (piece === "(") depth += 1;
  }
  return tokens;
}

/** Index of the parenthesis that closes the one opened at `at` or next after it. */
export function closingAfter(tokens: readonly SqlToken[], at: number): number {
  const depth = tokens[at]?.depth ?? 0;
  return tokens.findIndex(
    (token, index) => index > at && token.text === ")" && token.depth === depth,
  );
}

/** The text without comments, which databases parse differently. */
export function withoutComments(text: string): string {
  return text.replace(
    /('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`)|--[^\n]*|\/\*[^]*?\*\//g,
    (_, kept?: string) => kept ?? " ",
  );
}

function kindOf(groups: Record<string, string | undefined>): SqlToken["kind"] {
  for (const kind of ["text", "quoted", "number"] as const)
    if (groups[kind] !== undefined) return kind;
  return "symbol";
}

const clauses: ReadonlySet<string> = new Set(
  "from where group having window qualify order limit offset fetch union intersect except for into".split(
    " ",
  ),
);

/** The text of each item of the SELECT that begins at an offset. */
export function itemTexts(text: string, tokens: readonly SqlToken[], start: number): string[] {
  const at = tokens.findIndex((token) => token.start === start);
  const depth = tokens[at]?.depth ?? 0;
  const items: string[] = [];
  let from: number | undefined;
  let to = 0;
  const end = (): void => {
    if (from !== undefined) items.push(text.slice(from, to).replace(/\s+/g, " "));
    from = undefined;
  };
  for (let index = at + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const isOuter = token.depth === depth;
    const isOver =
      token.depth < depth ||
      (isOuter && token.text === ";") ||
      (isOuter &&
        token.kind === "word" &&
        clauses.has(token.text) &&
        tokens[index - 1]?.text !== "distinct");
    if (isOver) break;
    if (isOuter && token.text === ",") {
      end();
      continue;
    }
    from ??= token.start;
    to = token.end;
  }
  end();
  return items;
}

/** Replaces ranges of a text. Edits at the same offset keep their order. */
export function spliced(
  text: string,
  edits: readonly { start: number; end: number; text: string }[],
): string {
  let at = 0;
  let result = "";
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    if (edit.start < at) continue;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
