import { streamLines } from "@ccl/core/http";
import { isRecord, parseJson } from "@ccl/core/json";

/** One JSON text of a stream. */
export interface Frame {
  text: string;
  /** The server did not stream: the text is the whole body. */
  isWhole: boolean;
}

// A JSON body or an HTML page begins this way, and an event never does.
const isBodyStart = (line: string): boolean => /^\s*[{[<]/.test(line);

/**
 * Reads the JSON texts of a stream, or of a body that is not one. `[DONE]` is passed through. If the stream ends without
 * the blank line after its last event, that event counts if it is complete.
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
    // llama.cpp reports a failure this way.
    else if (line.startsWith("error:")) data.push(`{"error":${line.slice(6)}}`);
  }
  const text = (body ?? []).join("\n");
  const list = parseJson(text);
  // Gemini sends a stream as a JSON list unless asked for events.
  const last = framesOf(
    Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : (body ?? data),
  );
  if (body !== undefined && last.length < 2) yield { text, isWhole: true };
  else yield* last.filter((frame) => isWhole(frame.text));
}

/**
 * The event that these data lines form. Several events if each line is complete, since some servers omit blank lines.
 */
function framesOf(lines: readonly string[]): Frame[] {
  const given = lines.map((line) => line.trim()).filter((line) => line !== "");
  const isApart = given.length > 1 && given.every((line) => isWhole(line));
  const texts = isApart || given.length === 0 ? given : [given.join("\n")];
  return texts.map((text) => ({ text, isWhole: false }));
}

function isWhole(text: string): boolean {
  return text === "[DONE]" || isRecord(parseJson(text));
}
