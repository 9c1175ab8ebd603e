/** `keep` leaves a content as it is; `lf` turns CR LF into LF and ends it in a line end. An empty content stays empty. */
export type LineEnds = "keep" | "lf";

/** A content under a policy on line ends. */
export function normalizeLineEnds(content: string, lineEnds: LineEnds): string {
  if (lineEnds === "keep" || content === "") return content;
  const text = content.replaceAll("\r\n", "\n");
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** A whole new text with the byte order mark of the old one, and with its CR LF where all its lines end so and no new one does. */
export function inFormOf(content: string, old: string): string {
  const isAllReturns = old.includes("\r\n") && !/(?<!\r)\n/.test(old);
  const text =
    isAllReturns && !content.includes("\r\n") ? content.replaceAll("\n", "\r\n") : content;
  return old.startsWith("\ufeff") && !text.startsWith("\ufeff") ? `\ufeff${text}` : text;
}
