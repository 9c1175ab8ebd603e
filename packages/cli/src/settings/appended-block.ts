/** Finds a block in a string, including its last line end. Undefined if it is absent. */
export type FindBlock = (text: string) => { from: number; to: number } | undefined;

/** Appends a block of lines, or replaces an older one. Leaves the rest unchanged. */
export function withBlock(text: string, block: string, find: FindBlock): string {
  const lineEnd = lineEndOf(text);
  const own = block.replaceAll("\n", lineEnd);
  const found = find(text);
  if (found !== undefined) return text.slice(0, found.from) + own + text.slice(found.to);
  return text === "" ? own : text + lineEnd + own;
}

/** Removes the block, and the line end that `withBlock` added before it. */
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
