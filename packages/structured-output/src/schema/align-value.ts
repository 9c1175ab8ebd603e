import { isRecord, type JsonRecord, valueAt } from "@ccl/core/json";

import { parsePointer } from "../json-schema/json-pointer.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { RepairKind } from "../repair/repair.ts";
import { constantFor, convertScalar, sameWords } from "./convert-scalar.ts";

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

interface Context {
  root: JsonSchema;
  /** Places that may still be looked at; unions of unions would take exponential time. */
  visits: number;
}

type Path = Alignment["path"];

const maxVisits = 20_000;

/**
 * The value in the shape that the schema asks for, with each step: a number out of its text, an enum's spelling, one for
 * a list, a key's case, members the schema does not know left out. Undefined if that takes a guess, such as between two
 * readings that cost the same. Looks at shapes alone: bounds and formats are the checker's.
 */
export function alignValue(schema: JsonSchema, value: unknown): Aligned | undefined {
  try {
    return align({ root: schema, visits: maxVisits }, schema, value, []);
  } catch (error) {
    // A schema that refers to itself without end, or a value too deep.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function align(context: Context, given: unknown, value: unknown, path: Path): Aligned | undefined {
  if ((context.visits -= 1) < 0 || given === false) return undefined;
  if (!isRecord(given)) return { value, steps: [] };
  const { $ref: reference, anyOf, oneOf, allOf, ...own } = given;
  let aligned = alignOwn(context, own, value, path);
  const branches = [anyOf, oneOf].filter((list) => Array.isArray(list));
  const all: unknown[] = Array.isArray(allOf) ? allOf : [];
  const parts = typeof reference === "string" ? [resolve(context, reference), ...all] : all;
  for (const part of parts) {
    if (aligned === undefined) return undefined;
    aligned = next(aligned, align(context, part, aligned.value, path));
  }
  for (const list of branches) {
    if (aligned === undefined) return undefined;
    const { value: current } = aligned;
    const read = list.map((branch) => align(context, branch, current, path));
    aligned = next(aligned, cheapest(read));
  }
  return aligned;
}

function next(before: Aligned, after: Aligned | undefined): Aligned | undefined {
  return after && { value: after.value, steps: [...before.steps, ...after.steps] };
}

function resolve({ root }: Context, reference: string): unknown {
  return reference.startsWith("#")
    ? valueAt(root, parsePointer(decodeURIComponent(reference.slice(1))))
    : true;
}

/** The reading with the fewest steps; none where two that differ take as few. */
function cheapest(readings: readonly (Aligned | undefined)[]): Aligned | undefined {
  const found = readings.filter((reading) => reading !== undefined);
  const fewest = Math.min(...found.map(({ steps }) => steps.length));
  const [first, ...others] = found.filter(({ steps }) => steps.length === fewest);
  if (first === undefined || fewest === 0) return first;
  const text = JSON.stringify(first.value);
  return others.every(({ value }) => JSON.stringify(value) === text) ? first : undefined;
}

function alignOwn(
  context: Context,
  schema: JsonRecord,
  value: unknown,
  path: Path,
): Aligned | undefined {
  const constants = "const" in schema ? [schema["const"]] : schema["enum"];
  if (Array.isArray(constants)) {
    const constant = constantFor(constants, value);
    if (constant === undefined) return unwrapped(context, schema, value, path);
    const { value: meant } = constant;
    return { value: meant, steps: meant === value ? [] : [{ kind: "schema_constant", path }] };
  }
  const types = typesOf(schema);
  if (types === undefined || types.includes(typeOf(value))) {
    if (isRecord(value)) return alignObject(context, schema, value, path);
    return Array.isArray(value) ? alignArray(context, schema, value, path) : { value, steps: [] };
  }
  if (types.includes("number") && typeOf(value) === "integer") return { value, steps: [] };
  return cheapest([
    ...types.map((type) => convert(context, schema, { value, type, path })),
    unwrapped(context, schema, value, path),
  ]);
}

function typesOf({ type }: JsonRecord): unknown[] | undefined {
  if (type === undefined) return undefined;
  return Array.isArray(type) ? type : [type];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** The value as another type: scalars by their text, a container out of JSON in a text, one item as a list of one. */
function convert(
  context: Context,
  schema: JsonRecord,
  { value, type, path }: { value: unknown; type: unknown; path: Path },
): Aligned | undefined {
  const isContainer = type === "object" || type === "array";
  if (isContainer && typeof value === "string") {
    const parsed = containerIn(value);
    if (typeOf(parsed) === type) {
      const read = align(context, { ...schema, type }, parsed, path);
      return next({ value, steps: [{ kind: "schema_nested_json", path }] }, read);
    }
  }
  if (type === "array" && value !== null) {
    const list = alignArray(context, schema, [value], path);
    return next({ value, steps: [{ kind: "schema_list", path }] }, list);
  }
  const converted = isContainer ? undefined : convertScalar(value, type);
  return converted && { value: converted.value, steps: [{ kind: "schema_type", path }] };
}

function containerIn(text: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The only item of a list where no list is wanted. */
function unwrapped(
  context: Context,
  schema: JsonRecord,
  value: unknown,
  path: Path,
): Aligned | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const [item] = value;
  if (Array.isArray(item)) return undefined;
  return next(
    { value, steps: [{ kind: "schema_list", path }] },
    align(context, schema, item, path),
  );
}

function alignArray(
  context: Context,
  { items, prefixItems }: JsonRecord,
  value: readonly unknown[],
  path: Path,
): Aligned | undefined {
  const prefix: unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  const steps: Alignment[] = [];
  const list: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const aligned = align(context, prefix[index] ?? items, item, [...path, index]);
    if (aligned === undefined) return undefined;
    list.push(aligned.value);
    steps.push(...aligned.steps);
  }
  return { value: steps.length === 0 ? value : list, steps };
}

function alignObject(
  context: Context,
  schema: JsonRecord,
  value: JsonRecord,
  path: Path,
): Aligned | undefined {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  const keys = keysFor(value, properties);
  const steps: Alignment[] = [];
  const members: [string, unknown][] = [];
  for (const [given, member] of Object.entries(value)) {
    const key = keys.get(given) ?? given;
    const at = [...path, key];
    if (key !== given) steps.push({ kind: "schema_key", path: at });
    const isKnown = Object.hasOwn(properties, key);
    if (!isKnown && isUnwanted(schema, key)) {
      steps.push({ kind: "schema_extra", path: at });
      continue;
    }
    const rest = isRecord(schema["additionalProperties"]) ? schema["additionalProperties"] : true;
    const aligned = align(context, isKnown ? properties[key] : rest, member, at);
    if (aligned !== undefined) {
      members.push([key, aligned.value]);
      steps.push(...aligned.steps);
    } else if (member === null && !required.has(key)) steps.push({ kind: "schema_null", path: at });
    else return undefined;
  }
  const written = new Set(members.map(([key]) => key));
  for (const key of required) {
    if (typeof key !== "string" || written.has(key)) continue;
    const none = align(context, properties[key], null, [...path, key]);
    // Models leave out what they have no value for.
    if (!Object.hasOwn(properties, key) || none?.steps.length !== 0) return undefined;
    members.push([key, null]);
    steps.push({ kind: "schema_null", path: [...path, key] });
  }
  // An object of which the schema knows nothing is another object.
  if (members.length === 0 && steps.some(({ kind }) => kind === "schema_extra")) return undefined;
  return { value: steps.length === 0 ? value : Object.fromEntries(members), steps };
}

/** Which property a key means that differs from it in case and separators alone, where it can mean only one. */
function keysFor(value: JsonRecord, properties: JsonRecord): Map<string, string> {
  const free = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  const found = new Map<string, string>();
  for (const key of unknown) {
    const names = free.filter((name) => sameWords(name, key));
    const rivals = unknown.filter((other) => sameWords(other, key));
    const [name] = names;
    if (name !== undefined && names.length === 1 && rivals.length === 1) found.set(key, name);
  }
  return found;
}

function isUnwanted({ additionalProperties, patternProperties }: JsonRecord, key: string): boolean {
  if (additionalProperties !== false) return false;
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  return !patterns.some((pattern) => new RegExp(pattern, "u").test(key));
}
