import { isRecord } from "@ccl/core/json";

import { readLines } from "../json/read-lines.ts";
import type { Decision } from "./plan-options.ts";

/** Decisions as a store kept them, a line each. */
export function readDecisions(lines: string): Decision[] {
  return readLines(lines, isDecision);
}

function isDecision(value: unknown): value is Decision {
  return (
    isRecord(value) &&
    typeof value["at"] === "string" &&
    typeof value["credit"] === "number" &&
    Array.isArray(value["edits"])
  );
}
