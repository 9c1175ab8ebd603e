import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import { indentOf, isContinuation } from "../rank/source-chunks.ts";

const COMMENT = /^\s*(?:\/\/|\/?\*)/;
/** Matches directives, comments and labels, which start at the margin regardless of nesting. */
const MARGIN = /^(?:#|\w+:\s*$)/;

/**
 * Finds where a file declares a name. Returns its lines, including the comment above, as `12-40`.
 * Returns undefined if the file does not declare the name.
 */
export function locateSymbol(path: string, text: string, symbol: string): string | undefined {
  const lines = text.split("\n");
  const language = outlineLanguage(path);
  const at = lines.findIndex(
    (line) =>
      line.includes(symbol) &&
      !COMMENT.test(line) &&
      scanDeclarations(line, language).includes(symbol),
  );
  if (at < 0) return undefined;
  const indent = indentOf(lines[at] ?? "");
  let last = at;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const own = indentOf(line);
    if (own < 0 || MARGIN.test(line)) continue;
    if (own < indent || (own === indent && !isContinuation(line, lines[next - 1]))) break;
    last = next;
  }
  let first = at;
  while (first > 0 && /^\s*(?:\/\/|\/?\*|#|@)/.test(lines[first - 1] ?? "")) first -= 1;
  return `${first + 1}-${last + 1}`;
}
