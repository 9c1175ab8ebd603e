import { ContextCompilerError } from "../context-compiler-error.ts";

const controlCharacter = /\p{Cc}|\p{Surrogate}/u;
const longestId = 200;

/**
 * Checks a session id.
 * @throws ContextCompilerError `invalid_options` if it is empty, too long, or has control characters
 */
export function requireSessionId(sessionId: unknown): asserts sessionId is string {
  requireName(sessionId, "session id");
}

/**
 * Checks a key, which follows the rules for session ids.
 * @throws ContextCompilerError `invalid_options`
 */
export function requireStateKey(key: unknown): asserts key is string {
  requireName(key, "state key");
}

function requireName(value: unknown, what: string): asserts value is string {
  const isName =
    typeof value === "string" &&
    value !== "" &&
    value.length <= longestId &&
    !controlCharacter.test(value);
  if (!isName) {
    const text = `A ${what} has 1 to ${longestId} characters, none of them a control character.`;
    throw new ContextCompilerError("invalid_options", text);
  }
}
