import type { HandleKey, HandlePage, ListHandlesOptions } from "../artifact-store.ts";
import type { ArtifactDriver } from "../artifact-driver.ts";
import {
  checkCount,
  checkText,
  invalidInput,
  isArtifactId,
  isHandleId,
  quoted,
} from "./check-input.ts";
import { sortHandles } from "./store-context.ts";

/**
 * Reads one page of handles. The cursor identifies the last handle of the page. If other handles are added or removed
 * meanwhile, the next page still repeats and skips nothing.
 */
export async function listPage(
  driver: ArtifactDriver,
  options: ListHandlesOptions,
): Promise<HandlePage> {
  const { sessionId, source, cursor, limit = 100, signal } = options;
  checkCount("limit", limit, 1, 1000);
  const found = await driver.listHandles({
    limit: limit + 1,
    sessionId: sessionId !== undefined ? checkText("sessionId", sessionId) : undefined,
    source: source !== undefined ? checkText("source", source) : undefined,
    after: cursor !== undefined ? handleOf(cursor) : undefined,
    signal,
  });
  const page = sortHandles(found.slice(0, limit));
  const last = found[limit - 1];
  if (found.length <= limit || last === undefined) return page;
  return { ...page, cursor: `after:${last.handleId}:${last.artifactId}` };
}

function handleOf(cursor: unknown): HandleKey {
  const [prefix, handleId, artifactId, ...more] =
    typeof cursor === "string" ? cursor.split(":") : [];
  if (prefix === "after" && isHandleId(handleId) && isArtifactId(artifactId) && more.length === 0) {
    return { handleId, artifactId };
  }
  throw invalidInput(
    `${quoted(cursor)} is not a cursor; use the one that the previous page returned.`,
  );
}
