import type { ArtifactHandle } from "../artifact-store.ts";

/** The fields that a handle must have. Absent fields match any handle. */
export interface HandleMatch {
  handleId?: string | undefined;
  sessionId?: string | undefined;
  source?: string | undefined;
}

/** True if the handle has every given field. */
export function isMatch(
  handle: ArtifactHandle,
  { handleId, sessionId, source }: HandleMatch,
): boolean {
  return (
    (handleId === undefined || handle.handleId === handleId) &&
    (sessionId === undefined || handle.sessionId === sessionId) &&
    (source === undefined || handle.source === source)
  );
}
