/** Lines read from a UTF-8 stream. */
interface LinesPiece {
  /** The text without its last line end. */
  text: string;
  /** Number of the last line read, from 1. If the stream ended before `start`, the number of lines in the stream. */
  lastLine: number;
  isAtEnd: boolean;
  /** True if the last line exceeded the limit on its own and was cut. */
  isCutInLine: boolean;
  /** Byte offset of the end of the text in the stream. */
  endByte: number;
}

/**
 * Reads lines from a stream. Reads no further than necessary, and holds no more than `maxChars` characters and one
 * chunk.
 */
export async function readLines(
  stream: AsyncIterable<Uint8Array>,
  { start, end, maxChars }: { start: number; end: number; maxChars: number },
): Promise<LinesPiece> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let line = 1;
  let collected = "";
  let seenBytes = 0;
  let isAfterLineFeed = false;
  const take = (text: string): LinesPiece | undefined => {
    if (text !== "") isAfterLineFeed = text.endsWith("\n");
    for (let at = 0; at < text.length;) {
      const lineFeed = text.indexOf("\n", at);
      const stop = lineFeed < 0 ? text.length : lineFeed + 1;
      const part = text.slice(at, stop);
      if (line >= start && collected.length + part.length > maxChars) return cut(part);
      if (line >= start) collected += part;
      seenBytes += encoder.encode(part).length;
      at = stop;
      if (lineFeed < 0) continue;
      if (line >= end) return whole(line);
      line += 1;
    }
    return undefined;
  };
  const whole = (lastLine: number): LinesPiece => ({
    text: collected.replace(/\r?\n$/, ""),
    lastLine,
    isAtEnd: false,
    isCutInLine: false,
    endByte: seenBytes,
  });
  const cut = (part: string): LinesPiece => {
    const lastLineStart = collected.lastIndexOf("\n") + 1;
    // Returns whole lines. Only cuts a line that is too long on its own.
    if (lastLineStart > 0) {
      seenBytes -= encoder.encode(collected.slice(lastLineStart)).length;
      collected = collected.slice(0, lastLineStart);
      return whole(line - 1);
    }
    const room = part.slice(0, maxChars - collected.length).replace(/[\uD800-\uDBFF]$/, "");
    seenBytes += encoder.encode(room).length;
    return {
      text: collected + room,
      lastLine: line,
      isAtEnd: false,
      isCutInLine: true,
      endByte: seenBytes,
    };
  };
  for await (const chunk of stream) {
    const piece = take(decoder.decode(chunk, { stream: true }));
    if (piece !== undefined) return piece;
  }
  const piece = take(decoder.decode());
  if (piece !== undefined) return piece;
  return { ...whole(isAfterLineFeed ? line - 1 : line), isAtEnd: true };
}
