import { streamLines } from "@ccl/core/http";
import { isRecord, parseJson } from "@ccl/core/json";

/** A JSON text of a stream. */
export interface Frame {
  text: string;
  /** The server did not stream: the text is the whole body. */
  isWhole: boolean;
}

// No field of an event begins so, but a JSON body and an HTML page do.
const isBodyStart = (line: string): boolean => /^\s*[{[<]/.test(line);

/**
 * The JSON texts of a stream, or of a body that is no stream; `[DONE]` is passed on. Where the stream ends before the blank
 * line of its last event, that event counts if it is whole.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let data: string[] = [];
  let body: string[] | undefined;
  let isFirst = true;
  for await (const { line } of streamLines(chunks)) {
    if (isFirst && isBodyStart(line)) body = [];
    isFirst &&= line === "";
    if (body !== undefined) body.push(line);
    else if (line === "") {
      yield* framesOf(data);
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(5));
    // llama.cpp names a failure so.
    else if (line.startsWith("error:")) data.push(`{"error":${line.slice(6)}}`);
  }
  const text = (body ?? []).join("\n");
  const list = parseJson(text);
  // Gemini lists the events of a stream that was not asked for as such.
  const last = framesOf(
    Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : (body ?? data),
  );
  if (body !== undefined && last.length < 2) yield { text, isWhole: true };
  else yield* last.filter((frame) => isWhole(frame.text));
}

/** The event of these lines of data; several, where each line is one and no blank line stands between. */
function framesOf(lines: readonly string[]): Frame[] {
  const given = lines.map((line) => line.trim()).filter((line) => line !== "");
  const isApart = given.length > 1 && given.every((line) => isWhole(line));
  const texts = isApart || given.length === 0 ? given : [given.join("\n")];
  return texts.map((text) => ({ text, isWhole: false }));
}

function isWhole(text: string): boolean {
  return text === "[DONE]" || isRecord(parseJson(text));
}
