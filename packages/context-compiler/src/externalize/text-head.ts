import { truncateMiddle, type TokenCounter } from "@ccl/core";

/** Whole rows from the start, and how many lines follow; of a first row that is too long its ends. */
export function headRows(
  rows: readonly string[],
  { counter, maxTokens }: { counter: TokenCounter; maxTokens: number },
): string {
  const last = rows.findLastIndex((row) => row !== "") + 1;
  const total = linesOf(rows.slice(0, last));
  const linesMarker = (left: number): string => (left === 0 ? "" : `[... ${left} more lines ...]`);
  let kept = 0;
  let tokens = counter.count(linesMarker(total));
  for (; kept < last; kept += 1) {
    const row = rows[kept] ?? "";
    tokens += row.length > maxTokens * 20 ? maxTokens + 1 : counter.count(`${row}\n`);
    if (tokens > maxTokens) break;
  }
  // Rows together may count more than one by one.
  for (; kept > 0; kept -= Math.ceil(kept / 16)) {
    const head = rows.slice(0, kept);
    const shown = [...head, linesMarker(total - linesOf(head))]
      .filter((row) => row !== "")
      .join("\n");
    if (counter.count(shown) <= maxTokens) return shown;
  }
  return headPiece(rows.slice(0, last).join("\n"), { counter, maxTokens });
}

function linesOf(rows: readonly string[]): number {
  return rows.reduce((sum, row) => sum + (row.includes("\n") ? row.split("\n").length : 1), 0);
}

/** A cut of the first characters, not of the whole text: that would take long to count. */
function headPiece(
  text: string,
  { counter, maxTokens }: { counter: TokenCounter; maxTokens: number },
): string {
  const start = text.slice(0, maxTokens * 20);
  const more = start.length < text.length ? marker(text.length - start.length) : "";
  const room = maxTokens - (more === "" ? 0 : counter.count(more) + 1);
  const shown = truncateMiddle(start, { maxTokens: room, counter }).text + more;
  return counter.count(shown) <= maxTokens
    ? shown
    : truncateMiddle(shown, { maxTokens, counter }).text;
}

/** The first characters, cut at the end of a word where one is near, and how much follows. */
export function headChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - marker(text.length).length;
  const cut = text.slice(0, room).search(/\s\S{0,30}$/);
  const head = text.slice(0, cut > room / 2 ? cut : room).replace(/[\uD800-\uDBFF]$/, "");
  return head + marker(text.length - head.length);
}

function marker(left: number): string {
  return ` [... ${String(left).replace(/\B(?=(?:\d{3})+$)/g, ",")} more characters]`;
}
