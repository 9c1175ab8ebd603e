import { createPartialAnswer, type PartialAnswer } from "./partial-answer.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";

/**
 * The answer as far as it has come, after each chunk that adds to it; for display, since it is not checked before its end. What
 * a chunk brings is only added: a text grows, and what was given as finished never changes. A schema brings each value into
 * its shape once it is finished. The last one has no `growing` if all of the answer was read; `parseStructured` says why not.
 */
export async function* parsePartial<T = unknown>(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: { schema?: StructuredSchema<T> | undefined } = {},
): AsyncGenerator<PartialAnswer<T>, void, undefined> {
  const answer = createPartialAnswer<T>(options.schema);
  for await (const chunk of chunks) {
    const news = answer.add(chunk);
    if (news !== undefined) yield news;
  }
  const last = answer.end();
  if (last !== undefined) yield last;
}
