import type { ArtifactHandle, ArtifactStore, ListHandlesOptions } from "@ccl/artifact-store";

import type { RetrievedPassage, Retriever } from "../kinds/kind-options.ts";

const maxArtifacts = 200;
const maxBytes = 2_000_000;

/**
 * Finds the lines and rows of stored texts that contain words of the query, one passage for each artifact. It searches
 * the first 2 MB of each of the newest 200 artifacts, or of those of one session or source.
 */
export function artifactRetriever(
  store: Pick<ArtifactStore, "listHandles" | "retrieve">,
  scope: Pick<ListHandlesOptions, "sessionId" | "source"> = {},
): Retriever {
  return {
    async retrieve(query, { topK, signal }) {
      const { searchContent } = await import("@ccl/compress");
      const found: (RetrievedPassage & { score: number })[] = [];
      for (const { artifactId, source } of await newestOf(store, { ...scope, signal })) {
        const range = { start: 0, end: maxBytes };
        const text = textOf(await store.retrieve(artifactId, { range, signal }));
        if (text === undefined) continue;
        const hits = searchContent(text, { query });
        if (hits.found > 0)
          found.push({ id: artifactId, text: hits.text, source, score: hits.score });
      }
      return found.sort((a, b) => b.score - a.score).slice(0, topK);
    },
  };
}

/** One handle for each artifact, newest first. */
async function newestOf(
  store: Pick<ArtifactStore, "listHandles">,
  query: ListHandlesOptions,
): Promise<ArtifactHandle[]> {
  const handles = new Map<string, ArtifactHandle>();
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({ ...query, cursor, limit: 1_000 });
    for (const handle of page.handles) {
      handles.delete(handle.artifactId);
      if (!/^(?:image|audio|video)\//.test(handle.mimeType)) handles.set(handle.artifactId, handle);
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
  return [...handles.values()].slice(-maxArtifacts).reverse();
}

/** Undefined if the bytes are not text. A character that the range has cut is left out. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
