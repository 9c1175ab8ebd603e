import { groupDigits } from "@ccl/core";

import type { ArtifactPart } from "../event/session-event.ts";

/**
 * How many digits of an artifact's id a prompt shows. The whole id would cost four times the
 * tokens.
 */
export const shownIdDigits = 12;

/**
 * Renders what a model reads in place of a payload: which artifact holds it, how large it is, and
 * its summary.
 */
export function renderArtifact({ artifactId, mimeType, sizeBytes, summary }: ArtifactPart): string {
  const head = `[stored in full as artifact ${artifactId.slice(0, shownIdDigits)}: ${mimeType}, ${groupDigits(sizeBytes)} bytes]`;
  return summary === "" ? head : `${head}\n${summary}`;
}
