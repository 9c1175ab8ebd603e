import { type Complete } from "@ccl/core";
import type { ResourceColumn } from "../record/resource-record.ts";
import { cleanField, cleanText } from "./clean-text.ts";
import { arrayAt, isRecord, recordAt, type JsonRecord } from "@ccl/core/json";
import { textsOf } from "./text-field.ts";
import { followReferences } from "./resolve-reference.ts";

/** Options of `schemaColumns`. */
interface SchemaColumnsOptions {
  /** The document that `$ref`s refer to. Defaults to the schema itself. */
  root?: unknown;
  /** Value of `in` for each column, such as `query` or `response`. */
  in?: string | undefined;
  /** 200 by default. */
  maxColumns?: number | undefined;
  /** Maximum depth for expanding objects. 4 by default. Deeper objects become one column. */
  maxDepth?: number | undefined;
}

/** A flattened schema. */
export interface SchemaColumns {
  /** Leaves in the order of the schema: `owner.name`, `items[].sku`. Fields of a list at the root have no prefix. */
  columns: ResourceColumn[];
  /** True if columns beyond the limit or parts nested too deeply were left out. */
  isCut: boolean;
  /** References without a target in the document. Their columns have the type `unknown`. */
  unresolved: string[];
}

interface Walk extends Complete<Omit<SchemaColumnsOptions, "in">>, SchemaColumns {
  in: string | undefined;
  /** Number of schemas that may still be visited. Limits schemas that branch endlessly. */
  visitsLeft: number;
}

interface Place {
  path: string;
  isRequired: boolean;
  /** References on the path to this schema. A repeated reference means a cycle. */
  trail: readonly string[];
  depth: number;
}

const visitsPerColumn = 20;
const maxNestedParts = 100;

/**
 * Flattens a JSON Schema to its leaves as columns. Cycles, missing references and huge schemas are
 * cut off and never cause an error.
 */
export function schemaColumns(schema: unknown, options: SchemaColumnsOptions = {}): SchemaColumns {
  const { maxColumns = 200, maxDepth = 4, root = schema } = options;
  const visitsLeft = maxColumns * visitsPerColumn;
  const walk: Walk = {
    root,
    maxColumns,
    maxDepth,
    in: options.in,
    columns: [],
    isCut: false,
    unresolved: [],
    visitsLeft,
  };
  visit(walk, schema, { path: "", isRequired: false, trail: [], depth: 0 });
  return { columns: walk.columns, isCut: walk.isCut, unresolved: [...new Set(walk.unresolved)] };
}

/**
 * Returns the object that a schema describes, with the properties of all its parts and branches. A property is
 * required if every branch requires it.
 */
export function objectSchema(schema: unknown): { properties: JsonRecord; required: string[] } {
  const walk = { root: schema, unresolved: [], visitsLeft: 4_000, isCut: false };
  const { schema: merged } = mergeParts(walk, { allOf: [schema] }, []);
  const required = [...new Set(textsOf(arrayAt(merged, "required")))];
  return { properties: recordAt(merged, "properties"), required };
}

function visit(walk: Walk, schema: unknown, place: Place): void {
  walk.visitsLeft -= 1;
  if (walk.columns.length >= walk.maxColumns || walk.visitsLeft < 0) {
    walk.isCut = true;
    return;
  }
  const { value, followed, broken } = followReferences(walk.root, schema);
  const cycle = followed.find((reference) => place.trail.includes(reference));
  if (broken !== undefined) walk.unresolved.push(broken);
  const isOpenable = broken === undefined && cycle === undefined && isRecord(value);
  if (!isOpenable) {
    const type =
      broken === undefined && value !== false
        ? cycle === undefined
          ? "any"
          : "object"
        : "unknown";
    if (value !== undefined || broken !== undefined)
      addLeaf(walk, place, { type, ...(cycle && { recursive: cycle }) });
    return;
  }
  const trail = [...place.trail, ...followed];
  const merged = mergeParts(walk, value, trail);
  const properties = Object.entries(recordAt(merged.schema, "properties"));
  if (properties.length > 0 && place.depth < walk.maxDepth) {
    const required = new Set(textsOf(arrayAt(merged.schema, "required")));
    for (const [name, property] of properties) {
      const path = place.path === "" ? name : `${place.path}.${name}`;
      visit(walk, property, {
        path,
        isRequired: required.has(name),
        trail: merged.trail,
        depth: place.depth + 1,
      });
    }
    return;
  }
  if (isOpenArray(walk, merged.schema)) {
    const path = place.path === "" ? "" : `${place.path}[]`;
    visit(walk, merged.schema["items"], {
      path,
      isRequired: false,
      trail: merged.trail,
      depth: place.depth,
    });
    return;
  }
  const leaf = leafOf(walk, merged.schema);
  // A root without a type or properties is not a column.
  if (place.path !== "" || !["any", "object"].includes(leaf.type)) addLeaf(walk, place, leaf);
}

function isOpenArray(walk: Walk, schema: JsonRecord): boolean {
  if (!isRecord(schema["items"])) return false;
  const { value } = followReferences(walk.root, schema["items"]);
  return isRecord(value) && ["properties", "allOf", "oneOf", "anyOf"].some((name) => name in value);
}

function addLeaf(walk: Walk, place: Place, leaf: Omit<ResourceColumn, "name">): void {
  walk.columns.push({
    name: cleanText(place.path, 300) ?? "value",
    ...leaf,
    ...(place.isRequired ? { nn: true } : {}),
    ...(walk.in === undefined ? {} : { in: walk.in }),
  });
}

/**
 * Merges the parts of `allOf` and the branches of `oneOf`, `anyOf` and `if`. A property of the
 * branches is required if every branch requires it.
 */
function mergeParts(
  walk: Pick<Walk, "root" | "unresolved" | "visitsLeft" | "isCut">,
  schema: JsonRecord,
  start: readonly string[],
  depth = 0,
): { schema: JsonRecord; trail: string[] } {
  const trail = [...start];
  const read = (part: unknown): JsonRecord | undefined => {
    walk.visitsLeft -= 1;
    const { $ref, ...beside } = isRecord(part) ? part : {};
    // `properties` beside a reference must not replace those of its target, so both become parts of `allOf`.
    const combined = $ref && "properties" in beside ? { allOf: [{ $ref }, beside] } : part;
    const { value, followed, broken } = followReferences(walk.root, combined);
    if (broken !== undefined) walk.unresolved.push(broken);
    if (depth > maxNestedParts) walk.isCut = true;
    if (depth > maxNestedParts || walk.visitsLeft < 0 || !isRecord(value)) return undefined;
    const cycle = followed.find((reference) => trail.includes(reference));
    if (cycle !== undefined) return { type: "object", recursive: cycle };
    trail.push(...followed);
    return mergeParts(walk, value, trail, depth + 1).schema;
  };
  let merged: JsonRecord = schema;
  for (const part of arrayAt(schema, "allOf")) merged = joined(merged, read(part));
  const sides = "if" in schema ? [schema["then"] ?? {}, schema["else"] ?? {}] : [];
  for (const list of [arrayAt(schema, "oneOf"), arrayAt(schema, "anyOf"), sides]) {
    const branches = list.map(read).filter((branch) => branch?.["type"] !== "null");
    const [first, ...others] = branches.map((branch) => arrayAt(branch, "required"));
    const common = first?.filter((name) => others.every((names) => names.includes(name))) ?? [];
    for (const branch of branches)
      merged = joined(merged, branch && { ...branch, required: common });
  }
  return { schema: merged, trail };
}

function joined(schema: JsonRecord, part: JsonRecord | undefined): JsonRecord {
  if (part === undefined) return schema;
  const own = recordAt(schema, "properties");
  // `own` is spread twice: first to set the order, then to let the first part's values win.
  const properties = { ...own, ...recordAt(part, "properties"), ...own };
  return {
    ...part,
    ...schema,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    required: [...arrayAt(schema, "required"), ...arrayAt(part, "required")],
  };
}

const tellingFormats = new Set([
  "date",
  "date-time",
  "time",
  "uuid",
  "binary",
  "byte",
  "email",
  "uri",
  "ipv4",
  "decimal",
]);
const maxEnumValues = 20;

function leafOf(walk: Walk, schema: JsonRecord): Omit<ResourceColumn, "name"> & { type: string } {
  const allowed = textsOf(arrayAt(schema, "enum")).slice(0, maxEnumValues);
  return {
    type: typeOf(walk, schema),
    ...cleanField("description", schema["description"] ?? schema["title"]),
    ...(typeof schema["recursive"] === "string" ? { recursive: schema["recursive"] } : {}),
    ...(allowed.length > 0 ? { enum: allowed.map((value) => cleanText(value, 200) ?? value) } : {}),
  };
}

function typeOf(walk: Walk, schema: JsonRecord): string {
  const { format, type, items } = schema;
  if (typeof format === "string" && tellingFormats.has(format)) return format;
  const named = textsOf(Array.isArray(type) ? type : [type]).filter((name) => name !== "null");
  if (named.length > 0 && named[0] !== "array") return named.join("|");
  if (named[0] === "array" || items !== undefined) {
    const { value } = followReferences(walk.root, items);
    return isRecord(value)
      ? `array<${typeOf({ ...walk, root: undefined }, { ...value, items: undefined })}>`
      : "array";
  }
  const [sample] = [...arrayAt(schema, "enum"), ...("const" in schema ? [schema["const"]] : [])];
  if (sample !== undefined && sample !== null) return typeof sample;
  return "properties" in schema || "additionalProperties" in schema ? "object" : "any";
}
