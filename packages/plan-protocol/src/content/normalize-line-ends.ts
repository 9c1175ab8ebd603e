/** `keep` leaves a content as it is; `lf` turns CR LF into LF and ends it in a line end. An empty content stays empty. */
export type LineEnds = "keep" | "lf";

/** A content under a policy on line ends. */
export function normalizeLineEnds(content: string, lineEnds: LineEnds): string {
  if (lineEnds === "keep" || content === "") return content;
  const text = content.replaceAll("\r\n", "\n");
  return text.endsWith("\n") ? text : `${text}\n`;
}
