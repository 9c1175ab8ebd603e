import type { ArtifactHandle } from "../artifact-store.ts";

/** What a handle has to have; all that is given. */
export interface HandleMatch {
  handleId?: string | undefined;
  sessionId?: string | undefined;
  source?: string | undefined;
}

/** True for a handle that has all that is given. */
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
