import { failure, success, type Issue, type Result } from "@ccl/core";
import type { z } from "zod";

/** Maximum nesting depth of a stored value. */
const maxJsonDepth = 200;
const copies = new WeakSet<object>();

/**
 * Returns a deep-frozen copy of a JSON value. Returns a value that it has already copied as is. Drops undefined fields
 * and turns -0 into 0, as JSON does. Lone surrogates become U+FFFD, as in UTF-8. Reports an issue with its path for
 * anything that JSON cannot represent: functions, dates, NaN, cycles, more than 200 levels.
 */
export function copyJson(value: unknown): Result<unknown> {
  const issues: Issue[] = [];
  const copy = copyInto(value, [], issues);
  const [first, ...rest] = issues;
  return first === undefined ? success(copy) : failure(first, ...rest);
}

/** Copies a value with `copyJson`, changes the copy, and validates its shape. Returns up to 100 issues. */
export function readJson<Value>(
  given: unknown,
  shape: z.ZodType<Value>,
  change: (copy: unknown) => unknown = (copy) => copy,
): Result<Value> {
  const copy = copyJson(given);
  if (!copy.ok) return copy;
  const { success: isValid, data, error } = shape.safeParse(change(copy.value));
  if (isValid) return success(data);
  const issues = error.issues.slice(0, 100).map(({ path, message }): Issue => {
    const keys = path.map((key) => (typeof key === "number" ? key : String(key)));
    return { code: "invalid_shape", path: keys, message };
  });
  return { ok: false, issues };
}

const loneSurrogates = /\p{Surrogate}/gu;

/**
 * Replaces each lone surrogate, which UTF-8 cannot encode, with U+FFFD. Cutting a string within an emoji leaves one.
 */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogates, "\uFFFD");
}

/** Path within the value being copied. */
type Path = (string | number)[];

function copyInto(value: unknown, path: Path, issues: Issue[]): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (typeof value !== "object") return refused(value, path, issues);
  if (copies.has(value)) return value;
  if (path.length >= maxJsonDepth) {
    issues.push({
      code: "not_json",
      path: [...path],
      message: `The value has more than ${maxJsonDepth} levels, or contains itself.`,
    });
    return null;
  }
  const copy = Array.isArray(value)
    ? copyArray(value, path, issues)
    : copyObject(value, path, issues);
  Object.freeze(copy);
  // Writes take their value from an already copied effect. Deeper values rarely come back, and tracking them costs more
  // than copying.
  if (issues.length === 0 && path.length <= 1) copies.add(copy);
  return copy;
}

function copyArray(value: readonly unknown[], path: Path, issues: Issue[]): unknown[] {
  const copy: unknown[] = [];
  for (let index = 0; index < value.length && issues.length < 20; index += 1) {
    path.push(index);
    copy.push(copyInto(value[index], path, issues));
    path.pop();
  }
  return copy;
}

function copyObject(value: object, path: Path, issues: Issue[]): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  const copy: Record<string, unknown> = {};
  if (prototype !== Object.prototype && prototype !== null) {
    refused(value, path, issues);
    return copy;
  }
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined || issues.length >= 20) continue;
    const key = wellFormed(name);
    path.push(key);
    const copied = copyInto(field, path, issues);
    path.pop();
    if (key === "__proto__") Object.defineProperty(copy, key, { value: copied, enumerable: true });
    else copy[key] = copied;
  }
  return copy;
}

function refused(value: unknown, path: Path, issues: Issue[]): null {
  const what =
    typeof value === "object" && value !== null
      ? (value.constructor?.name ?? "object")
      : typeof value;
  issues.push({
    code: "not_json",
    path: [...path],
    message: `A ${what}${typeof value === "number" ? ` (${value})` : ""} is not a JSON value.`,
  });
  return null;
}
