import { canonicalJson, CanonicalJsonError, failure, type Result, success } from "@ccl/core";

import { copyJson } from "../artifact/copy-json.ts";

/** Converts a value to prompt text: a string as is, null as nothing, anything else as canonical JSON. */
export function textOfValue(value: unknown): Result<string> {
  if (typeof value === "string") return success(value);
  if (value === undefined || value === null) return success("");
  try {
    return success(canonicalJson(value));
  } catch (error) {
    if (!CanonicalJsonError.isInstance(error)) throw error;
    const copy = copyJson(value);
    if (copy.ok) return success(canonicalJson(copy.value));
    const message = `A value is not JSON (${error.code}) and cannot be written as text; write JSON or give a template.`;
    return failure({ code: "template_render_error", path: [], message });
  }
}
