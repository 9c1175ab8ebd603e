import { compareCodeUnits } from "@ccl/core";
import type { HandleKey } from "../artifact-store.ts";

/** Compares in listing order: by `handleId`, then by `artifactId`. */
export function compareHandles(one: HandleKey, other: HandleKey): number {
  return (
    compareCodeUnits(one.handleId, other.handleId) ||
    compareCodeUnits(one.artifactId, other.artifactId)
  );
}
