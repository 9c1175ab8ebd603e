import { isRecord, parseJson } from "@ccl/core/json";

import type { Decision } from "./plan-options.ts";

/** A decision as a store kept it; none of what is cut off or of another form. */
export function readDecision(json: string): Decision[] {
  try {
    const value = parseJson(json);
    return isDecision(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isDecision(value: unknown): value is Decision {
  return (
    isRecord(value) &&
    typeof value["at"] === "string" &&
    typeof value["credit"] === "number" &&
    Array.isArray(value["edits"])
  );
}
