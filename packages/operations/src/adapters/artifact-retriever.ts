import type { ArtifactHandle, ArtifactStore, ListHandlesOptions } from "@ccl/artifact-store";

import type { RetrievedPassage, Retriever } from "../kinds/kind-options.ts";

const maxArtifacts = 200;
const maxBytes = 2_000_000;

/**
 * Creates a retriever that finds lines and rows of stored text containing words of the query. Returns one passage per
 * artifact. Searches the first 2 MB of each of the newest 200 artifacts, optionally only those of one session or
 * source.
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

/** Returns one handle per artifact, newest first. */
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

/** Decodes bytes as text. Returns undefined if they are not text. Drops a character that the range cut in two. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
