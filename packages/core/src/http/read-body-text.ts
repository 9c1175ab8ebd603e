import { streamChunks } from "./stream-chunks.ts";

/** The result of `readBodyText`: the text and its size, or why it could not be read. */
type BodyText =
  | { status: "complete"; text: string; sizeBytes: number }
  /** The body exceeds `maxBytes`. `text` is its beginning. */
  | { status: "too_large"; text: string }
  | { status: "invalid_utf8" };

/** Limits for reading a body. */
interface BodyTextOptions {
  maxBytes: number;
  /** Ends the read in bounded time, even if the server stalls. */
  signal?: AbortSignal | undefined;
}

/** Reads up to `maxBytes` of a body as UTF-8. The rest is not received. */
export async function readBodyText(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, signal }: BodyTextOptions,
): Promise<BodyText> {
  if (body === null) return { status: "complete", text: "", sizeBytes: 0 };
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces: string[] = [];
  let sizeBytes = 0;
  for await (const chunk of streamChunks(body, signal)) {
    const room = maxBytes - sizeBytes;
    sizeBytes += chunk.byteLength;
    const piece = decode(decoder, chunk.subarray(0, room));
    if (piece === undefined) return { status: "invalid_utf8" };
    pieces.push(piece);
    if (sizeBytes > maxBytes) return { status: "too_large", text: pieces.join("") };
  }
  const rest = decode(decoder);
  if (rest === undefined) return { status: "invalid_utf8" };
  return { status: "complete", text: pieces.join("") + rest, sizeBytes };
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    return undefined;
  }
}
