import { streamLines } from "@ccl/core/http";

/** A JSON text of a stream. */
export interface Frame {
  text: string;
  /** The server did not stream: the text is the whole body. */
  isWhole: boolean;
}

// No field of an event begins so, but a JSON body and an HTML page do.
const isBodyStart = (line: string): boolean => /^\s*[{[<]/.test(line);

/**
 * The JSON texts of a stream, or of a body that is no stream. An event that the end of the stream cuts off is dropped,
 * as the standard on server-sent events asks; `[DONE]` is passed on.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let data: string[] = [];
  let body: string[] | undefined;
  let isFirst = true;
  for await (const { line, isComplete } of streamLines(chunks)) {
    if (isFirst && isBodyStart(line)) body = [];
    isFirst &&= line === "";
    if (body !== undefined) body.push(line);
    else if (!isComplete) return;
    else if (line === "") {
      if (data.length > 0) yield { text: data.join("\n"), isWhole: false };
      data = [];
    } else if (line.startsWith("data:")) {
      data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    }
  }
  if (body !== undefined) yield { text: body.join("\n"), isWhole: true };
}
