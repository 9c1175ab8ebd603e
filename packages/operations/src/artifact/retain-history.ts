import { canonicalJson } from "@ccl/core";

import type { ArtifactRetention, ArtifactVersion } from "./operation-artifact.ts";

/** How many former values are kept by default. */
const defaultMaxItems: number = 20;

/**
 * Returns the newest former values that the artifact's retention keeps, oldest first. Ages count back from
 * `writtenAt`, the time of the value that replaced them, so the result never changes. `maxBytes` counts the canonical
 * JSON of the kept values.
 */
export function retainHistory(
  former: readonly ArtifactVersion[],
  retention: ArtifactRetention | undefined,
  writtenAt: number,
): ArtifactVersion[] {
  const { maxItems = defaultMaxItems, maxAgeMs = Infinity, maxBytes = Infinity } = retention ?? {};
  const kept: ArtifactVersion[] = [];
  let sizeBytes = 0;
  for (const version of former.toReversed()) {
    if (kept.length >= maxItems || writtenAt - version.writtenAt > maxAgeMs) break;
    if (maxBytes !== Infinity) sizeBytes += encoder.encode(canonicalJson(version.value)).length;
    if (sizeBytes > maxBytes) break;
    kept.push(version);
  }
  return kept.reverse();
}

const encoder = new TextEncoder();
