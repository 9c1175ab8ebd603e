import type { Clock, IdGenerator } from "@ccl/core";
import type { ArtifactHandle, HandleKey, StoreLimits } from "../artifact-store.ts";
import type { ArtifactDriver, FoundHandle } from "../artifact-driver.ts";

/** State that all calls of a store share. */
export interface StoreContext {
  driver: ArtifactDriver;
  limits: StoreLimits;
  clock: Clock;
  ids: IdGenerator;
}

/** Copies only the known fields, so that neither side can change the other's object. */
export function copyHandle(handle: ArtifactHandle): ArtifactHandle {
  const { handleId, artifactId, summary, sizeBytes, mimeType, createdAt, source, sessionId } =
    handle;
  const copy = { handleId, artifactId, summary, sizeBytes, mimeType, createdAt, source };
  return sessionId === undefined ? copy : { ...copy, sessionId };
}

/** Returns copies of the undamaged handles, and the ids of damaged ones if there are any. */
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
