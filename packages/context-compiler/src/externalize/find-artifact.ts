import type { SessionEvent } from "../event/session-event.ts";
import { shownIdDigits } from "./render-artifact.ts";

/**
 * Finds the newest `artifact_stored` event of an artifact, by its id or by the leading digits shown
 * in a prompt. Returns undefined if none matches, or if the digits match two artifacts.
 */
export function findArtifact(
  events: Iterable<SessionEvent>,
  idOrDigits: string,
): SessionEvent<"artifact_stored"> | undefined {
  if (!/^[0-9a-f]{12,64}$/.test(idOrDigits) || idOrDigits.length < shownIdDigits) return undefined;
  let found: SessionEvent<"artifact_stored"> | undefined;
  for (const event of events) {
    if (event.kind !== "artifact_stored" || !event.data.artifactId.startsWith(idOrDigits)) continue;
    if (found !== undefined && found.data.artifactId !== event.data.artifactId) return undefined;
    found = event;
  }
  return found;
}
