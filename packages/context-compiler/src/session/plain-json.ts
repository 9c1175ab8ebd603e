import { canonicalJson, CanonicalJsonError } from "@ccl/core";
import { ContextCompilerError } from "../context-compiler-error.ts";

const loneSurrogates = /\p{Surrogate}/gu;

/**
 * Copies a value through canonical JSON, so that an event in memory is byte-identical to one read
 * back. Lone surrogates, which UTF-8 can't encode, become U+FFFD.
 * @throws ContextCompilerError `invalid_event` for a value that JSON can't represent
 */
export function plainJson(value: unknown): unknown {
  const parsed: unknown = JSON.parse(jsonOf(value));
  return parsed;
}

function jsonOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (!CanonicalJsonError.isInstance(error)) throw error;
    if (error.code === "lone_surrogate") return canonicalJson(wellFormed(value));
    throw new ContextCompilerError(
      "invalid_event",
      `The data of an event has to be JSON. ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(loneSurrogates, "\uFFFD");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.replace(loneSurrogates, "\uFFFD"),
      wellFormed(member),
    ]),
  );
}
