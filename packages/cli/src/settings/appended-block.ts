/** Where a block stands in a text, its last line end included; undefined where it does not. */
export type FindBlock = (text: string) => { from: number; to: number } | undefined;

/** The text with a block of lines at its end, or in place of an older one. All else stays as it is. */
export function withBlock(text: string, block: string, find: FindBlock): string {
  const lineEnd = lineEndOf(text);
  const own = block.replaceAll("\n", lineEnd);
  const found = find(text);
  if (found !== undefined) return text.slice(0, found.from) + own + text.slice(found.to);
  return text === "" ? own : text + lineEnd + own;
}

/** The text without the block, and without the line end that `withBlock` put before it. */
export function withoutBlock(text: string, find: FindBlock): string {
  const found = find(text);
  if (found === undefined) return text;
  const before = text.slice(0, found.from);
  const lineEnd = lineEndOf(text);
  const kept = before.endsWith(lineEnd) ? before.slice(0, -lineEnd.length) : before;
  return kept + text.slice(found.to);
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
