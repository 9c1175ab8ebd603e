import type { FoundHandle } from "../artifact-driver.ts";

/** The fields that a handle must have. Absent fields match any handle. */
export interface HandleMatch {
  handleId?: string | undefined;
  sessionId?: string | undefined;
  source?: string | undefined;
}

/**
 * True if the handle has every given field. The session and source of a damaged handle are unknown.
 */
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
