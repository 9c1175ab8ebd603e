import type { Clock, IdGenerator } from "@ccl/core";
import type { ArtifactHandle, HandleKey, StoreLimits } from "../artifact-store.ts";
import type { ArtifactDriver, FoundHandle } from "../artifact-driver.ts";

/** What all calls of one store share. */
export interface StoreContext {
  driver: ArtifactDriver;
  limits: StoreLimits;
  clock: Clock;
  ids: IdGenerator;
}

/** Copies only the known fields, so that neither side can change what the other one holds. */
export function copyHandle(handle: ArtifactHandle): ArtifactHandle {
  const { handleId, artifactId, summary, sizeBytes, mimeType, createdAt, source, sessionId } =
    handle;
  const copy = { handleId, artifactId, summary, sizeBytes, mimeType, createdAt, source };
  return sessionId === undefined ? copy : { ...copy, sessionId };
}

/** Copies of the whole handles, and the names of the damaged ones if there are any. */
export function sortHandles(found: readonly FoundHandle[]): {
  handles: ArtifactHandle[];
  damaged?: HandleKey[];
} {
  const handles: ArtifactHandle[] = [];
  const damaged: HandleKey[] = [];
  for (const each of found) {
    const { handleId, artifactId } = each;
    if ("isDamaged" in each) damaged.push({ handleId, artifactId });
    else handles.push(copyHandle(each));
  }
  return damaged.length === 0 ? { handles } : { handles, damaged };
}
