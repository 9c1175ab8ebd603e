import { streamLines } from "@ccl/core/http";
import { isRecord, parseJson } from "@ccl/core/json";

/** One JSON text from a stream. */
export interface Frame {
  text: string;
  /** True if the server did not stream. The text is then the whole body. */
  isWhole: boolean;
}

/** Matches the start of a JSON body or an HTML page. An event never starts this way. */
const bodyStart = /^\s*[{[<]/;

/**
 * Reads the JSON texts of a stream, or of a body that is not a stream. Passes `[DONE]` through. If the blank line after
 * the last event is missing, yields that event only if it is complete.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let data: string[] = [];
  let body: string[] | undefined;
  let isFirst = true;
  for await (const { line } of streamLines(chunks)) {
    if (isFirst && bodyStart.test(line)) body = [];
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
  if (body !== undefined && !Array.isArray(list) && last.length < 2) yield { text, isWhole: true };
  else yield* last.filter((frame) => isWhole(frame.text));
}

/**
 * Returns the event that these data lines form. Returns several if each line or object is complete, since some servers
 * omit blank lines or line breaks.
 */
function framesOf(lines: readonly string[]): Frame[] {
  const given = lines.map((line) => line.trim()).filter((line) => line !== "");
  const apart = given.flatMap((line) => line.split(/(?<=\})(?=\{)/));
  const isApart = apart.length < 2 || apart.every((text) => isWhole(text));
  const texts = isApart ? apart : [given.join("\n")];
  return texts.map((text) => ({ text, isWhole: false }));
}

function isWhole(text: string): boolean {
  return text === "[DONE]" || isRecord(parseJson(text));
}
