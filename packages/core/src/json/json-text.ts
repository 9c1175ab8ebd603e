import { canonicalJson } from "../canonical/canonical-json.ts";

/**
 * Writes JSON like `JSON.stringify`, but without a depth limit. Empty for undefined. A value that
 * is nested too deeply for `JSON.stringify` is written as canonical JSON, whose members are sorted.
 * @throws CanonicalJsonError for such a value that has no canonical form
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    if (error instanceof RangeError) return canonicalJson(value);
    throw error;
  }
}
