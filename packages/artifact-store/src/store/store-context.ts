import type { Clock, IdGenerator } from "@ccl/core";
import type { ArtifactHandle, StoreLimits } from "../artifact-store.ts";
import type { ArtifactDriver } from "../artifact-driver.ts";

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
