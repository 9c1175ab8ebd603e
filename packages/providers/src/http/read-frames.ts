import { streamLines } from "@ccl/core/http";

/** How a provider cuts its stream into JSON texts. */
export type Framing = "server-sent-events" | "json-lines";

/**
 * The JSON texts of a stream. An event that the end of the stream cuts off is dropped, as the standard on server-sent
 * events asks; `[DONE]` is passed on.
 */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  framing: Framing,
): AsyncGenerator<string> {
  if (framing === "server-sent-events") yield* readEvents(chunks);
  else yield* readJsonLines(chunks);
}

async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const { line, isComplete } of streamLines(chunks)) {
    if (!isComplete) return;
    if (line === "") {
      if (data.length > 0) yield data.join("\n");
      data = [];
    } else if (line.startsWith("data:")) {
      data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    }
  }
}

async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const { line, isComplete } of streamLines(chunks)) {
    if (line.trim() === "" || (!isComplete && !isJson(line))) continue;
    yield line;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
