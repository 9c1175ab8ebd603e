import { parseJson } from "@ccl/core/json";
import { type StreamLine, streamLines } from "@ccl/core/http";

/** How a provider cuts its stream into JSON texts. */
export type Framing = "server-sent-events" | "json-lines";

/** A JSON text of a stream. */
export interface Frame {
  text: string;
  /** The server did not stream: the text is the whole body. */
  isWhole: boolean;
}

/**
 * The JSON texts of a stream, or of a body that is no stream. An event that the end of the stream cuts off is dropped,
 * as the standard on server-sent events asks; `[DONE]` is passed on.
 */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  framing: Framing,
): AsyncGenerator<Frame> {
  const lines = streamLines(chunks);
  if (framing === "server-sent-events") yield* readEvents(lines);
  else for await (const text of readJsonLines(lines)) yield { text, isWhole: false };
}

// No field of an event begins so, but a JSON body and an HTML page do.
const isBodyStart = (line: string): boolean => /^\s*[{[<]/.test(line);

async function* readEvents(lines: AsyncGenerator<StreamLine>): AsyncGenerator<Frame> {
  let data: string[] = [];
  let body: string[] | undefined;
  let isFirst = true;
  for await (const { line, isComplete } of lines) {
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

async function* readJsonLines(lines: AsyncGenerator<StreamLine>): AsyncGenerator<string> {
  for await (const { line, isComplete } of lines) {
    const isCutOff = !isComplete && !line.startsWith("<") && parseJson(line) === undefined;
    if (line.trim() === "" || isCutOff) continue;
    yield line;
  }
}
