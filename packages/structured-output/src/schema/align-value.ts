import { arrayAt, isRecord, isSameJson, type JsonRecord, recordAt, valueAt } from "@ccl/core/json";

import { onlyValueIn } from "../extract/extract-json.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { RepairKind } from "../repair/repair.ts";
import { constantFor, convertScalar, meansNothing, wordsOf } from "./convert-scalar.ts";
import { resolveReference, tupleOf } from "./schema-at.ts";

/** One change that lets a value fit its schema. */
interface Alignment {
  kind: Extract<RepairKind, `schema_${string}`>;
  /** Path in aligned value. */
  path: (string | number)[];
}

interface Aligned {
  value: unknown;
  steps: Alignment[];
}

/** A value, and a function that returns it with numbers as written, if known. */
interface Given<T = unknown> {
  value: T;
  digits: () => unknown;
}

interface Context {
  root: JsonSchema;
  /** Results by schema and value, since nested unions align the same value repeatedly. */
  known: Map<object, Map<object, Aligned | "refused">>;
}

/**
 * Reshapes a value to fit the schema and lists each step: a number from its text, an enum's spelling, a single item as
 * a list, a key's case, unknown fields left out. Returns undefined if that needs a guess, for example between two
 * readings of equal cost. Only considers shapes, since the checker handles bounds and formats. `digits` returns the
 * value with numbers as written. It is called once or never.
 */
export function alignValue(
  schema: JsonSchema,
  value: unknown,
  digits: () => unknown = () => undefined,
): Aligned | undefined {
  try {
    let written: { value: unknown } | undefined;
    const once = (): unknown => (written ??= { value: digits() }).value;
    return align({ root: schema, known: new Map() }, schema, { value, digits: once });
  } catch (error) {
    // The schema refers to itself endlessly, or the value is too deep.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** True if the schema's root value has a field of this name. */
export function isOwnKey(schema: JsonSchema | undefined, key: string): boolean {
  const seen = new Set<unknown>();
  const hasKey = (node: unknown): boolean => {
    if (!isRecord(node) || seen.has(node)) return false;
    seen.add(node);
    const { properties, $ref: reference, anyOf, oneOf, allOf, items } = node;
    if (isRecord(properties) && Object.hasOwn(properties, key)) return true;
    const target = typeof reference === "string" ? resolveReference(schema, reference) : undefined;
    return [target, items, anyOf, oneOf, allOf].flat().some((part) => hasKey(part));
  };
  return hasKey(schema);
}

function align(context: Context, schema: unknown, given: Given): Aligned | undefined {
  if (schema === false) return undefined;
  const { value } = given;
  if (!isRecord(schema)) return { value, steps: [] };
  if (typeof value !== "object" || value === null) return alignParts(context, schema, given);
  const bySchema = context.known.get(schema) ?? new Map<object, Aligned | "refused">();
  context.known.set(schema, bySchema);
  const known = bySchema.get(value);
  if (known !== undefined) return known === "refused" ? undefined : known;
  // A schema that refers to itself does not fit through itself.
  bySchema.set(value, "refused");
  const aligned = alignParts(context, schema, given);
  bySchema.set(value, aligned ?? "refused");
  return aligned;
}

function alignParts(context: Context, schema: JsonRecord, given: Given): Aligned | undefined {
  const { $ref: reference, anyOf, oneOf, allOf: _allOf, ...own } = schema;
  let aligned = alignOwn(context, own, given);
  const branches = [anyOf, oneOf].filter((list) => Array.isArray(list));
  const all = arrayAt(schema, "allOf");
  const parts =
    typeof reference === "string" ? [resolveReference(context.root, reference), ...all] : all;
  for (const part of parts) {
    if (aligned === undefined) return undefined;
    aligned = next(aligned.steps, align(context, part, { ...given, value: aligned.value }));
  }
  for (const list of branches) {
    if (aligned === undefined) return undefined;
    const current = { ...given, value: aligned.value };
    const read = list.map((branch) => align(context, branch, current));
    aligned = next(aligned.steps, cheapest(read));
  }
  return aligned;
}

function next(before: Alignment[], after: Aligned | undefined): Aligned | undefined {
  return after && { value: after.value, steps: [...before, ...after.steps] };
}

/** Adds the steps of a field or item, under its key. */
function addBelow(steps: Alignment[], key: string | number, inner: readonly Alignment[]): void {
  for (const { kind, path } of inner) steps.push({ kind, path: [key, ...path] });
}

/** Returns a value's field or item. */
function innerOf({ value, digits }: Given, key: string | number): Given {
  return { value: valueAt(value, [key]), digits: () => valueAt(digits(), [key]) };
}

/** Returns the reading with the fewest steps. Undefined if two that differ are tied. */
function cheapest(readings: readonly (Aligned | undefined)[]): Aligned | undefined {
  const found = readings.filter((reading) => reading !== undefined);
  const fewest = Math.min(...found.map(({ steps }) => steps.length));
  const [first, ...others] = found.filter(({ steps }) => steps.length === fewest);
  if (first === undefined || fewest === 0) return first;
  return others.every(({ value }) => isSameJson(value, first.value)) ? first : undefined;
}

function alignOwn(context: Context, schema: JsonRecord, given: Given): Aligned | undefined {
  const { value } = given;
  const constants = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(constants)) {
    const constant = constantFor(constants, value, given.digits);
    if (constant === undefined) return unwrapped(context, schema, given);
    const { value: meant } = constant;
    return { value: meant, steps: meant === value ? [] : [{ kind: "schema_constant", path: [] }] };
  }
  const { type } = schema;
  const types = type === undefined ? undefined : [type].flat();
  if (types === undefined || types.includes(typeOf(value))) {
    if (isRecord(value)) return alignObject(context, schema, { ...given, value });
    return Array.isArray(value)
      ? alignArray(context, schema, { ...given, value })
      : { value, steps: [] };
  }
  if (types.includes("number") && typeOf(value) === "integer") return { value, steps: [] };
  return cheapest([
    ...types.map((one) => convert(context, { ...schema, type: one }, given)),
    unwrapped(context, schema, given),
  ]);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/**
 * Converts the value to another type: a scalar via its text, a container from JSON text, one item to a one-item list.
 */
function convert(context: Context, schema: JsonRecord, given: Given): Aligned | undefined {
  const { type } = schema;
  const { value, digits } = given;
  const isContainer = type === "object" || type === "array";
  if (isContainer && typeof value === "string" && /^\s*[[{]/.test(value)) {
    const inner = onlyValueIn(value);
    // Text that needs more than notational repairs may not be JSON at all.
    if (inner === undefined || typeOf(inner.value) !== type) return undefined;
    const { digits: innerDigits = () => undefined } = inner;
    const read = align(context, schema, { value: inner.value, digits: innerDigits });
    return next([{ kind: "schema_nested_json", path: [] }], read);
  }
  // Text with a comma or a line break may be one item or several, and "" or "none" may be no item.
  const isOne = typeof value !== "string" || !(/[,;\n|]/.test(value) || meansNothing(value));
  if (type === "array" && value !== null && isOne) {
    const list = alignArray(context, schema, { value: [value], digits: () => [digits()] });
    return next([{ kind: "schema_list", path: [] }], list);
  }
  const converted = isContainer
    ? undefined
    : convertScalar(value, type, typeof value === "number" ? digits() : undefined);
  return converted && { value: converted.value, steps: [{ kind: "schema_type", path: [] }] };
}

/** Unwraps a list's only item if the schema wants no list. Not for a map, since `key` and `value` may be a pair. */
function unwrapped(context: Context, schema: JsonRecord, given: Given): Aligned | undefined {
  const { value } = given;
  if (!Array.isArray(value) || value.length !== 1 || Array.isArray(value[0])) return undefined;
  if (isRecord(value[0]) && !("properties" in schema)) return undefined;
  return next([{ kind: "schema_list", path: [] }], align(context, schema, innerOf(given, 0)));
}

function alignArray(
  context: Context,
  schema: JsonRecord,
  given: Given<readonly unknown[]>,
): Aligned | undefined {
  const { prefix, rest } = tupleOf(schema);
  const steps: Alignment[] = [];
  const list: unknown[] = [];
  for (const index of given.value.keys()) {
    const item = index < prefix.length ? prefix[index] : rest;
    const aligned = align(context, item, innerOf(given, index));
    if (aligned === undefined) return undefined;
    list.push(aligned.value);
    addBelow(steps, index, aligned.steps);
  }
  return { value: steps.length === 0 ? given.value : list, steps };
}

function alignObject(
  context: Context,
  schema: JsonRecord,
  given: Given<JsonRecord>,
): Aligned | undefined {
  const { value } = given;
  const others = isRecord(schema["additionalProperties"]) ? schema["additionalProperties"] : true;
  const properties = recordAt(schema, "properties");
  const required = new Set(arrayAt(schema, "required"));
  const keys = keysFor(value, properties);
  const steps: Alignment[] = [];
  const members = new Map<string, unknown>();
  for (const name of Object.keys(value)) {
    const key = keys.get(name) ?? name;
    if (key !== name) steps.push({ kind: "schema_key", path: [key] });
    const isKnown = Object.hasOwn(properties, key);
    if (!isKnown && isUnwanted(schema, key)) {
      steps.push({ kind: "schema_extra", path: [key] });
      continue;
    }
    const member = isKnown ? properties[key] : others;
    const aligned = align(context, member, innerOf(given, name));
    if (aligned !== undefined) {
      members.set(key, aligned.value);
      addBelow(steps, key, aligned.steps);
    } else if (value[name] === null && !required.has(key))
      steps.push({ kind: "schema_null", path: [key] });
    else return undefined;
  }
  for (const key of required) {
    if (typeof key !== "string" || members.has(key)) continue;
    const none = align(context, properties[key], { value: null, digits: () => undefined });
    // Models omit fields they have no value for.
    if (!Object.hasOwn(properties, key) || none?.steps.length !== 0) return undefined;
    members.set(key, null);
    steps.push({ kind: "schema_null", path: [key] });
  }
  // If the schema knows none of the fields, it is a different object.
  if (members.size === 0 && steps.some(({ kind }) => kind === "schema_extra")) return undefined;
  return { value: steps.length === 0 ? value : Object.fromEntries(members), steps };
}

/** Maps unknown keys to properties that differ only in case and separators, if exactly one matches. */
function keysFor(value: JsonRecord, properties: JsonRecord): Map<string, string> {
  const found = new Map<string, string>();
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return found;
  const names = byWords(Object.keys(properties).filter((name) => !Object.hasOwn(value, name)));
  for (const [words, key] of byWords(unknown)) {
    const name = names.get(words);
    if (words !== "" && key !== undefined && name !== undefined) found.set(key, name);
  }
  return found;
}

/** Maps each name's words to it. Undefined if several have the same. */
function byWords(names: readonly string[]): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const name of names) {
    const words = wordsOf(name);
    found.set(words, found.has(words) ? undefined : name);
  }
  return found;
}

function isUnwanted({ additionalProperties, patternProperties }: JsonRecord, key: string): boolean {
  if (additionalProperties !== false) return false;
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  return !patterns.some((pattern) => new RegExp(pattern, "u").test(key));
}
