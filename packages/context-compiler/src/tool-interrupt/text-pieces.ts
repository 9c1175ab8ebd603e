/** A piece of a text. Contains whole lines, unless a single line is longer than a piece. */
export interface TextPiece {
  text: string;
  /** Number of its first line, from 1. */
  firstLine: number;
}

/**
 * Splits a UTF-8 stream into pieces of about `pieceChars` characters. Holds only one piece at a
 * time.
 */
export async function* textPieces(
  stream: AsyncIterable<Uint8Array>,
  pieceChars: number,
): AsyncGenerator<TextPiece> {
  const decoder = new TextDecoder();
  let text = "";
  let firstLine = 1;
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length < pieceChars) continue;
    const end = text.lastIndexOf("\n") + 1 || text.length;
    yield { text: text.slice(0, end), firstLine };
    firstLine += text.slice(0, end).split("\n").length - 1;
    text = text.slice(end);
  }
  text += decoder.decode();
  if (text !== "") yield { text, firstLine };
}
