import { groupDigits } from "@ccl/core";

import type { ArtifactPart } from "../event/session-event.ts";

/**
 * Number of digits of an artifact's id to show in a prompt. The full id would cost four times the
 * tokens.
 */
export const shownIdDigits = 12;

/**
 * Renders the text that a model sees in place of a payload: the artifact that holds it, its size
 * and its summary.
 */
export function renderArtifact({ artifactId, mimeType, sizeBytes, summary }: ArtifactPart): string {
  const head = `[stored in full as artifact ${artifactId.slice(0, shownIdDigits)}: ${mimeType}, ${groupDigits(sizeBytes)} bytes]`;
  return summary === "" ? head : `${head}\n${summary}`;
}
