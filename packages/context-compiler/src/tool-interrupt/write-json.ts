import { toBase64 } from "@ccl/core/json";

/**
 * Writes a value as JSON, including values that `JSON.stringify` does not support. A bigint becomes
 * a number if it is a safe integer, else a string. A `Set` becomes a list. A `Map` or other class
 * with entries becomes a list of pairs. An `Error` becomes its message, a `RegExp` its text, and
 * bytes base64.
 * @throws TypeError that calls the value `what`, if it is cyclic, throws, contains a promise, or
 * itself has no JSON form (a function, a stream)
 */
export function writeJson(value: unknown, what: string): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value, replaceOdd);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it failed without a message";
    throw new TypeError(`${what} can't be written as JSON: ${reason}.`, { cause: error });
  }
  if (json === undefined)
    throw new TypeError(`${what} can't be written as JSON: a ${typeof value} leaves nothing.`);
  return json;
}

function replaceOdd(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== "object" || value === null) return value;
  // JSON.stringify has already converted a Buffer, so read the original value.
  const original: unknown = Reflect.get(Object(this), key);
  if (original instanceof Uint8Array) return toBase64(original);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return value.message;
  if (value instanceof RegExp) return String(value);
  if (!isOpaque(value)) return value;
  if ("entries" in value && typeof value.entries === "function") return [...value.entries()];
  // Fields without a JSON form are left out. The tool's work is done, and the rest of its result is
  // usable.
  if (key !== "" && !(value instanceof Promise)) return value;
  throw new TypeError(`a ${value.constructor.name || "value without fields"} leaves nothing`);
}

/** True for an instance of a class whose content JSON would not show. */
function isOpaque(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === null || Object.keys(value).length > 0) return false;
  if (typeof value.valueOf() !== "object") return false;
  // In any realm, the prototype of plain objects has no prototype itself.
  return Object.getPrototypeOf(prototype) !== null;
}
