import type { FoundHandle } from "../artifact-driver.ts";

/** The fields that a handle must have. Absent fields match any handle. */
export interface HandleMatch {
  handleId?: string | undefined;
  sessionId?: string | undefined;
  source?: string | undefined;
}

/** True if the handle has every given field. No session and no source is known of a damaged one. */
export function isMatch(
  handle: FoundHandle,
  { handleId, sessionId, source }: HandleMatch,
): boolean {
  if (handleId !== undefined && handle.handleId !== handleId) return false;
  if ("isDamaged" in handle) return sessionId === undefined && source === undefined;
  return (
    (sessionId === undefined || handle.sessionId === sessionId) &&
    (source === undefined || handle.source === source)
  );
}
