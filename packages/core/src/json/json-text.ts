import { canonicalJson } from "../canonical/canonical-json.ts";

/**
 * `JSON.stringify` at any depth, empty for undefined. A value nested too deeply for it is written as canonical JSON,
 * whose members are sorted. @throws CanonicalJsonError for such a value that has no canonical form
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    if (error instanceof RangeError) return canonicalJson(value);
    throw error;
  }
}
