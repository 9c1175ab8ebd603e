import { ContextCompilerError } from "../context-compiler-error.ts";
import type { AppendOptions } from "./session-store.ts";

const controlCharacter = /\p{Cc}|\p{Surrogate}/u;
const longestId = 200;

/** @throws ContextCompilerError `invalid_options` for an id that is empty, too long, or holds control characters */
export function requireSessionId(sessionId: unknown): asserts sessionId is string {
  requireName(sessionId, "session id");
}

/** @throws ContextCompilerError `invalid_options`; a key follows the rules of a session id */
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

/** @throws ContextCompilerError `invalid_options` */
export function requireExpectedVersion({ expectedVersion }: AppendOptions): void {
  if (Number.isSafeInteger(expectedVersion) && expectedVersion >= 0) return;
  throw new ContextCompilerError(
    "invalid_options",
    "expectedVersion is the number of events that the session has.",
  );
}

/** Of pages of events. */
export const eventPageSizes = { byDefault: 1_000, max: 10_000 };
/** Of pages of session ids. */
export const sessionPageSizes = { byDefault: 100, max: 1_000 };

/** What a writer meets that is not the first. */
export function conflictError(
  sessionId: string,
  expected: number,
  actual?: number,
): ContextCompilerError {
  const found = actual === undefined ? "another number" : String(actual);
  return new ContextCompilerError(
    "conflict",
    `Session "${sessionId}" has ${found} of events, not ${expected}: another writer was first. Open it anew.`,
    {
      details: {
        expectedVersion: expected,
        actualVersion: actual,
      },
    },
  );
}
