import assert from "node:assert/strict";

import type { CclError } from "../ccl-error.ts";

/** A package's error class. */
interface ErrorClass<Failure extends CclError> {
  readonly brand: string;
  readonly prototype: Failure;
  isInstance(value: unknown): boolean;
}

/** Asserts that the call rejects with an error of that class and code. Returns the error. */
export async function rejectsWith<Failure extends CclError>(
  expected: ErrorClass<Failure>,
  code: Failure["code"],
  call: () => Promise<unknown>,
): Promise<Failure> {
  let error: unknown;
  try {
    await call();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error !== undefined, `expected ${code}, but nothing was thrown`);
  const isExpected = (value: unknown): value is Failure => expected.isInstance(value);
  assert.ok(isExpected(error), `expected ${code}, but got ${String(error)}`);
  assert.equal(error.code, code);
  return error;
}
