import { createPartialReader } from "./partial-reader.ts";

/**
 * The value so far after each chunk of a streamed answer, for display only: never act on it, since it is neither complete
 * nor checked. A string that is still arriving is shown, a key or number is not. It is the same object each time as it
 * grows (nothing before its first bracket), so that the whole stream costs linear time; copy it to keep a state.
 */
export async function* parsePartial(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<unknown, void, undefined> {
  const reader = createPartialReader();
  for await (const chunk of chunks) {
    reader.feed(chunk);
    const value = reader.value();
    if (value !== undefined) yield value;
  }
}
