import { CanonicalJsonError, type CanonicalJsonErrorCode } from "./canonical-json-error.ts";

const maxDepth = 200_000;
const loneSurrogate = /\p{Surrogate}/u;

interface Frame {
  container: object;
  /** Sorted member names of an object. Undefined for an array. */
  keys: string[] | undefined;
  values: unknown[];
  index: number;
}

/**
 * Writes the canonical JSON of RFC 8785 (JCS). Equal values produce the same text, so its hash
 * identifies the value. Like `JSON.stringify`, it leaves out undefined members and calls `toJSON`.
 * It rejects all other values that JSON cannot represent. Needs constant stack space.
 * @throws CanonicalJsonError
 */
export function canonicalJson(value: unknown): string {
  const stack: Frame[] = [];
  const ancestors = new Set<object>();
  let text = "";

  const write = (raw: unknown, key: string): void => {
    const item = unwrapped(raw, key);
    if (typeof item !== "object" || item === null) {
      text += scalarText(item, stack);
      return;
    }
    if (ancestors.has(item)) rejectValue("cycle", "an object contains itself", stack);
    if (stack.length >= maxDepth)
      rejectValue("too_deep", `the value is nested deeper than ${maxDepth} levels`, stack);
    stack.push(openFrame(item, stack));
    ancestors.add(item);
    text += Array.isArray(item) ? "[" : "{";
  };

  write(value, "");
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const index = frame.index++;
    if (index >= frame.values.length) {
      text += frame.keys === undefined ? "]" : "}";
      ancestors.delete(frame.container);
      stack.pop();
      continue;
    }
    if (index > 0) text += ",";
    const key = frame.keys?.[index];
    if (key !== undefined) text += `${stringText(key, stack)}:`;
    write(frame.values[index], key ?? String(index));
  }
  return text;
}

function openFrame(item: object, stack: Frame[]): Frame {
  if (Array.isArray(item)) return { container: item, keys: undefined, values: item, index: 0 };
  const prototype: unknown = Object.getPrototypeOf(item);
  const isPlain =
    prototype === null ||
    (typeof prototype === "object" && Object.getPrototypeOf(prototype) === null);
  if (!isPlain)
    rejectValue("unsupported_type", "an object of a class without toJSON has no JSON form", stack);
  // `sort` compares UTF-16 code units by default, which is what RFC 8785 section 3.2.3 requires.
  const valueOf = (key: string): unknown => Reflect.get(item, key);
  const keys = Object.keys(item)
    .filter((key) => valueOf(key) !== undefined)
    .sort();
  return { container: item, keys, values: keys.map(valueOf), index: 0 };
}

function unwrapped(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? value.toJSON(key) : value;
}

function scalarText(value: unknown, stack: Frame[]): string {
  if (typeof value === "string") return stringText(value, stack);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value !== "number")
    return rejectValue("unsupported_type", `${typeof value} has no JSON form`, stack);
  // ECMAScript formats numbers as RFC 8785 section 3.2.2.3 prescribes. -0 becomes 0.
  return Number.isFinite(value)
    ? String(value)
    : rejectValue("non_finite_number", `${value} has no JSON form`, stack);
}

function stringText(value: string, stack: Frame[]): string {
  if (loneSurrogate.test(value))
    rejectValue("lone_surrogate", "a string is not well-formed Unicode", stack);
  return JSON.stringify(value);
}

function rejectValue(code: CanonicalJsonErrorCode, reason: string, stack: Frame[]): never {
  const path = stack.map(({ keys, index }) => keys?.[index - 1] ?? index - 1);
  const where =
    path.length === 0 ? "the root" : path.slice(0, 20).join("/") + (path.length > 20 ? "/..." : "");
  throw new CanonicalJsonError(code, `No canonical JSON: ${reason}, at ${where}.`, {
    details: { path },
  });
}
