/** The lines of a byte stream, whatever its chunk borders. `isWhole` is false for a last line without its line end. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ line: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let isAfterReturn = false;
  for await (const chunk of chunks) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === "") continue;
    // "\r" ends a line at once; a "\n" that comes with the next chunk belongs to it.
    const text = isAfterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    isAfterReturn = decoded.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? "";
    for (const line of lines) {
      yield { line: pending.join("") + line, isWhole: true };
      pending = [];
    }
    if (last !== "") pending.push(last);
  }
  const rest = pending.join("") + decoder.decode();
  if (rest !== "") yield { line: rest, isWhole: false };
}
