import type { Token } from "../parse/tokenize.ts";
import type { TextEdit } from "./resolution.ts";

/** Returns the index of the parenthesis that closes the first one opened at or after `at`. */
export function closingAfter(tokens: readonly Token[], at: number): number {
  const depth = tokens[at]?.depth ?? 0;
  return tokens.findIndex(
    (token, index) => index > at && token.text === ")" && token.depth === depth,
  );
}

/** Removes comments, because databases parse them differently. */
export function withoutComments(text: string): string {
  return text.replace(
    /('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`)|--[^\n]*|\/\*[^]*?\*\//g,
    (_, kept?: string) => kept ?? " ",
  );
}

const clauses: ReadonlySet<string> = new Set(
  "from where group having window qualify order limit offset fetch union intersect except for into".split(
    " ",
  ),
);

/** Returns the text of each item in the SELECT that starts at an offset. */
export function itemTexts(text: string, tokens: readonly Token[], start: number): string[] {
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

/** Replaces ranges of text. Edits at the same offset keep their order. */
export function spliced(text: string, edits: readonly TextEdit[]): string {
  let at = 0;
  let result = "";
  const sorted = edits.toSorted((left, right) => left.start - right.start);
  for (const { start, end = start, text: written } of sorted) {
    if (start < at) continue;
    result += text.slice(at, start) + written;
    at = end;
  }
  return result + text.slice(at);
}
