import { toBase64 } from "@ccl/core/json";

/**
 * A value as JSON. Beyond what `JSON.stringify` does: a whole number that is a bigint stays a number while a double holds
 * it and becomes a text beyond that; a `Set` becomes a list, a `Map` and what else has entries a list of pairs, an `Error`
 * its message, a `RegExp` its text, bytes become base64.
 * @throws TypeError that names the value as `what`, where it is cyclic, fails, holds a promise, or is itself something of
 * which nothing would be left (a function, a stream)
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
  // A Buffer has turned itself into an object by now.
  const given: unknown = Reflect.get(Object(this), key);
  if (given instanceof Uint8Array) return toBase64(given);
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Error) return value.message;
  if (value instanceof RegExp) return String(value);
  if (!isOpaque(value)) return value;
  if ("entries" in value && typeof value.entries === "function") return [...value.entries()];
  // What holds it has been done: it stays, without this one.
  if (key !== "" && !(value instanceof Promise)) return value;
  throw new TypeError(`a ${value.constructor.name || "value without fields"} leaves nothing`);
}

/** An object of some class without anything that JSON would show. */
function isOpaque(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === null || Object.keys(value).length > 0) return false;
  if (typeof value.valueOf() !== "object") return false;
  // The prototype of plain objects, of whatever realm, has none itself.
  return Object.getPrototypeOf(prototype) !== null;
}
