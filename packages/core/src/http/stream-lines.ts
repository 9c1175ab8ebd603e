/** A line of a stream, without its line end. */
export interface StreamLine {
  line: string;
  /** False for a last line without a line end. */
  isComplete: boolean;
}

/**
 * Yields the lines of a UTF-8 stream, regardless of chunk boundaries. CRLF, LF and CR end lines.
 */
export async function* streamLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamLine> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let isAfterReturn = false;
  for await (const chunk of chunks) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === "") continue;
    // "\r" ends a line immediately. A "\n" at the start of the next chunk belongs to the same line
    // end.
    const text = isAfterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    isAfterReturn = decoded.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? "";
    for (const line of lines) {
      yield { line: pending.join("") + line, isComplete: true };
      pending = [];
    }
    if (last !== "") pending.push(last);
  }
  const rest = pending.join("") + decoder.decode();
  if (rest !== "") yield { line: rest, isComplete: false };
}
