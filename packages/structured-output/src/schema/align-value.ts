import { arrayAt, isRecord, isSameJson, type JsonRecord, recordAt, valueAt } from "@ccl/core/json";

import { onlyValueIn } from "../extract/extract-json.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { RepairKind } from "../repair/repair.ts";
import { constantFor, convertScalar, wordsOf } from "./convert-scalar.ts";
import { resolveReference } from "./schema-at.ts";

/** One change that made a value fit its schema. */
interface Alignment {
  kind: Extract<RepairKind, `schema_${string}`>;
  /** In the aligned value. */
  path: (string | number)[];
}

interface Aligned {
  value: unknown;
  steps: Alignment[];
}

/** A value, and a function that returns it with its numbers as written, if that is known. */
interface Given {
  value: unknown;
  digits: () => unknown;
}

interface Context {
  root: JsonSchema;
  /** Results by schema and value, since unions of unions align the same value repeatedly. */
  known: WeakMap<object, WeakMap<object, Aligned | "refused">>;
}

/**
 * Reshapes a value to fit the schema and lists each step: a number from its text, an enum's spelling, a single item as
 * a list, a key's case, unknown members left out. Undefined if that needs a guess, for example between two readings of
 * equal cost. Looks only at shapes, since the checker handles bounds and formats. `digits` returns the value with its
 * numbers as written. It is called once or never.
 */
export function alignValue(
  schema: JsonSchema,
  value: unknown,
  digits: () => unknown = () => undefined,
): Aligned | undefined {
  try {
    let written: { value: unknown } | undefined;
    const once = (): unknown => (written ??= { value: digits() }).value;
    return align({ root: schema, known: new WeakMap() }, schema, { value, digits: once });
  } catch (error) {
    // The schema refers to itself without end, or the value is too deep.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** True if the schema's root value has a member of this name. */
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
  const bySchema = context.known.get(schema) ?? new WeakMap<object, Aligned | "refused">();
  context.known.set(schema, bySchema);
  const known = bySchema.get(value);
  if (known !== undefined) return known === "refused" ? undefined : known;
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

function below(key: string | number, steps: readonly Alignment[]): Alignment[] {
  return steps.map(({ kind, path }) => ({ kind, path: [key, ...path] }));
}

/** The reading with the fewest steps. None if two that differ have equally few. */
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
    if (isRecord(value)) return alignObject(context, schema, value, given.digits);
    return Array.isArray(value)
      ? alignArray(context, schema, value, given.digits)
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

/** Converts the value to another type: a scalar by its text, a container from JSON text, one item to a list of one. */
function convert(context: Context, schema: JsonRecord, given: Given): Aligned | undefined {
  const { type } = schema;
  const { value, digits } = given;
  const isContainer = type === "object" || type === "array";
  if (isContainer && typeof value === "string" && /^\s*[[{]/.test(value)) {
    const inner = onlyValueIn(value);
    // Text that needs more repairs than notation may not be JSON at all.
    if (inner === undefined || typeOf(inner.value) !== type) return undefined;
    const read = align(context, schema, {
      value: inner.value,
      digits: inner.digits ?? (() => undefined),
    });
    return next([{ kind: "schema_nested_json", path: [] }], read);
  }
  // A text with a comma or a line break may be one item or several.
  const isSeveral = typeof value === "string" && /[,;\n|]/.test(value);
  if (type === "array" && value !== null && !isSeveral) {
    const list = alignArray(context, schema, [value], () => [digits()]);
    return next([{ kind: "schema_list", path: [] }], list);
  }
  const converted = isContainer
    ? undefined
    : convertScalar(value, type, typeof value === "number" ? digits() : undefined);
  return converted && { value: converted.value, steps: [{ kind: "schema_type", path: [] }] };
}

/** Unwraps the only item of a list if the schema wants no list. */
function unwrapped(
  context: Context,
  schema: JsonRecord,
  { value, digits }: Given,
): Aligned | undefined {
  if (!Array.isArray(value) || value.length !== 1 || Array.isArray(value[0])) return undefined;
  const item = { value: value[0] as unknown, digits: () => valueAt(digits(), [0]) };
  return next([{ kind: "schema_list", path: [] }], align(context, schema, item));
}

function alignArray(
  context: Context,
  { items, prefixItems, additionalItems }: JsonRecord,
  value: readonly unknown[],
  digits: Given["digits"],
): Aligned | undefined {
  // A list of schemas under `items` is draft-07's tuple.
  const isTuple = Array.isArray(items);
  const prefix: unknown[] = isTuple ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = isTuple ? additionalItems : items;
  const steps: Alignment[] = [];
  const list: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const schema = index < prefix.length ? prefix[index] : rest;
    const aligned = align(context, schema, {
      value: item,
      digits: () => valueAt(digits(), [index]),
    });
    if (aligned === undefined) return undefined;
    list.push(aligned.value);
    for (const step of below(index, aligned.steps)) steps.push(step);
  }
  return { value: steps.length === 0 ? value : list, steps };
}

function alignObject(
  context: Context,
  schema: JsonRecord,
  value: JsonRecord,
  digits: Given["digits"],
): Aligned | undefined {
  const properties = recordAt(schema, "properties");
  const required = new Set(arrayAt(schema, "required"));
  const keys = keysFor(value, properties);
  const steps: Alignment[] = [];
  const members: [string, unknown][] = [];
  for (const [given, member] of Object.entries(value)) {
    const key = keys.get(given) ?? given;
    if (key !== given) steps.push({ kind: "schema_key", path: [key] });
    const isKnown = Object.hasOwn(properties, key);
    if (!isKnown && isUnwanted(schema, key)) {
      steps.push({ kind: "schema_extra", path: [key] });
      continue;
    }
    const rest = isRecord(schema["additionalProperties"]) ? schema["additionalProperties"] : true;
    const inner = { value: member, digits: () => valueAt(digits(), [given]) };
    const aligned = align(context, isKnown ? properties[key] : rest, inner);
    if (aligned !== undefined) {
      members.push([key, aligned.value]);
      for (const step of below(key, aligned.steps)) steps.push(step);
    } else if (member === null && !required.has(key))
      steps.push({ kind: "schema_null", path: [key] });
    else return undefined;
  }
  const written = new Set(members.map(([key]) => key));
  for (const key of required) {
    if (typeof key !== "string" || written.has(key)) continue;
    const none = align(context, properties[key], { value: null, digits: () => undefined });
    // Models omit members that they have no value for.
    if (!Object.hasOwn(properties, key) || none?.steps.length !== 0) return undefined;
    members.push([key, null]);
    steps.push({ kind: "schema_null", path: [key] });
  }
  // If the schema knows none of the members, it is a different object.
  if (members.length === 0 && steps.some(({ kind }) => kind === "schema_extra")) return undefined;
  return { value: steps.length === 0 ? value : Object.fromEntries(members), steps };
}

/** Maps unknown keys to properties that differ only in case and separators, if only one matches. */
function keysFor(value: JsonRecord, properties: JsonRecord): Map<string, string> {
  const found = new Map<string, string>();
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length === 0) return found;
  const free = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  const names = groupBy(free);
  const rivals = groupBy(unknown);
  for (const [words, [key, ...others]] of rivals) {
    const [name, ...more] = names.get(words) ?? [];
    if (
      words !== "" &&
      key !== undefined &&
      name !== undefined &&
      others.length + more.length === 0
    )
      found.set(key, name);
  }
  return found;
}

function groupBy(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) groups.set(wordsOf(name), [...(groups.get(wordsOf(name)) ?? []), name]);
  return groups;
}

function isUnwanted({ additionalProperties, patternProperties }: JsonRecord, key: string): boolean {
  if (additionalProperties !== false) return false;
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  return !patterns.some((pattern) => new RegExp(pattern, "u").test(key));
}
