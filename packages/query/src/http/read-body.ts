import { QueryError } from "../query-error.ts";

/** The text of an answer; its bytes are taken off `bytes.left`. @throws QueryError `limit_exceeded`, `value_invalid` for bytes that are no UTF-8 */
export async function readBody(
  response: Response,
  { name, bytes }: { name: string; bytes: { left: number; most: number } },
): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let left = bytes.left;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      left -= value.byteLength;
      if (left < 0) {
        const message = `${name} gave more than ${bytes.most} bytes; filter, or raise maxBytes.`;
        throw new QueryError("limit_exceeded", message, {
          details: { limit: "maxBytes", most: bytes.most },
        });
      }
      text += decoded(decoder, value, name);
    }
    text += decoded(decoder, undefined, name);
    // A page that is asked for again counts once.
    bytes.left = left;
    return text;
  } finally {
    // Without this an answer that is too long would go on to come.
    await reader.cancel().catch(() => undefined);
  }
}

function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array | undefined,
  name: string,
): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw new QueryError("value_invalid", `${name} answered with bytes that are no UTF-8.`, {
      cause: error,
    });
  }
}
