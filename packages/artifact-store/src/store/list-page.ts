import type { HandlePage, ListHandlesOptions } from "../artifact-store.ts";
import type { ArtifactDriver } from "../driver/artifact-driver.ts";
import { checkCount, checkText, invalidInput, isHandleId, quoted } from "./check-input.ts";
import { copyHandle, signalOption } from "./store-context.ts";

const cursorPrefix = "after:";

/** One page; its cursor names the last handle of the page, so handles that come or go meanwhile move nothing. */
export async function listPage(driver: ArtifactDriver, options: ListHandlesOptions): Promise<HandlePage> {
  const { sessionId, source, cursor, signal } = options;
  const limit = checkCount(options.limit, { name: "limit", least: 1, most: 1000, otherwise: 100 });
  const found = await driver.listHandles({
    limit: limit + 1,
    ...(sessionId !== undefined && { sessionId: checkText("sessionId", sessionId) }),
    ...(source !== undefined && { source: checkText("source", source) }),
    ...(cursor !== undefined && { after: handleIdOf(cursor) }),
    ...signalOption(signal),
  });
  const handles = found.slice(0, limit).map(copyHandle);
  const last = handles.at(-1);
  if (found.length <= limit || last === undefined) return { handles };
  return { handles, cursor: cursorPrefix + last.handleId };
}

function handleIdOf(cursor: unknown): string {
  const handleId = typeof cursor === "string" && cursor.startsWith(cursorPrefix) && cursor.slice(cursorPrefix.length);
  if (isHandleId(handleId)) return handleId;
  throw invalidInput(`${quoted(cursor)} is no cursor; use the one of the page before.`);
}
