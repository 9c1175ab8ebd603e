import type { MemoryService } from "@ccl/context-compiler";

import type { Retriever } from "../kinds/kind-options.ts";

/** Retrieves passages from a memory, such as `createSessionMemory` of @ccl/context-compiler. */
export function memoryRetriever(memory: MemoryService): Retriever {
  return {
    async retrieve(query, options) {
      const hits = await memory.search(query, options);
      return hits.map(({ memoryId, text, source, score }) => ({
        id: memoryId,
        text,
        source,
        score,
      }));
    },
  };
}
