import { isRecord, type JsonRecord, recordAt } from "@ccl/core/json";

import { maxSchemaFields, type SchemaField } from "./schema-field.ts";

const factNames = (
  "format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default " +
  "minLength maxLength minItems maxItems uniqueItems minProperties maxProperties"
).split(" ");
/** A deeper type is shown as `...`. */
const maxTypeDepth = 6;

/** True for a JSON Schema or an OpenAPI document, recognized by their keywords. */
export function isJsonSchema(value: unknown): value is JsonRecord {
  if (!isRecord(value)) return false;
  const dialect = value["$schema"];
  if (typeof dialect === "string" && dialect.includes("json-schema.org")) return true;
  if (value["type"] === "object" && isRecord(value["properties"])) return true;
  const definitions = value["$defs"] ?? value["definitions"] ?? openApiSchemas(value);
  return (
    isRecord(definitions) &&
    Object.values(definitions).some((schema) => isRecord(schema) && isTyped(schema))
  );
}

const isTyped = (schema: JsonRecord): boolean =>
  ["type", "properties", "enum", "$ref", "allOf", "oneOf", "anyOf"].some((keyword) =>
    Object.hasOwn(schema, keyword),
  );

function openApiSchemas(root: JsonRecord): unknown {
  return recordAt(root, "components")["schemas"];
}

/**
 * The fields of a JSON Schema, level by level. A shared type is listed once, under its own name. Only local references
 * are followed.
 */
export function readJsonSchema(root: JsonRecord): SchemaField[] {
  const reader: Reader = { root, queue: [{ schema: root, prefix: "" }], sharedNames: new Set() };
  const shared =
    openApiSchemas(root) ??
    (Object.hasOwn(root, "properties") ? undefined : (root["$defs"] ?? root["definitions"]));
  if (isRecord(shared))
    for (const [name, schema] of Object.entries(shared)) share(reader, name, schema);
  const fields: SchemaField[] = [];
  for (let next = 0; next < reader.queue.length && fields.length < maxSchemaFields; next += 1) {
    const item = reader.queue[next];
    if (item !== undefined) readObject(reader, item, fields);
  }
  return fields;
}

interface Reader {
  root: JsonRecord;
  queue: { schema: JsonRecord; prefix: string }[];
  sharedNames: Set<string>;
}

/** A type as shown, with the values of its `enum` or `const`. */
interface ShownType {
  type: string;
  values?: string[] | undefined;
}

function readObject(
  reader: Reader,
  item: { schema: JsonRecord; prefix: string },
  fields: SchemaField[],
): void {
  const { schema, prefix } = item;
  const parts = partsOf(reader, schema, 0);
  const required = new Set(
    parts.flatMap((part) => (part.isCertain ? namesIn(part.schema["required"]) : [])),
  );
  const seen = new Set<string>();
  for (const part of parts) {
    const properties = recordAt(part.schema, "properties");
    for (const [name, property] of Object.entries(properties)) {
      if (seen.has(name) || fields.length >= maxSchemaFields) continue;
      seen.add(name);
      fields.push(
        readField(reader, property, { name: prefix + name, isRequired: required.has(name) }),
      );
    }
  }
  const isNamed = prefix !== "" && seen.size === 0;
  if (isNamed) fields.push(readField(reader, schema, { name: prefix.slice(0, -1) }));
}

function readField(
  reader: Reader,
  schema: unknown,
  field: { name: string; isRequired?: boolean | undefined },
): SchemaField {
  const shown = typeOf(reader, schema, { name: field.name, depth: 0 });
  const source = isRecord(schema) ? (resolve(reader.root, schema)?.schema ?? schema) : {};
  const facts = factNames.flatMap((name) => {
    const value = source[name];
    return value === undefined ? [] : [[name, plainText(value)] as const];
  });
  return { ...field, ...shown, facts: Object.fromEntries(facts) };
}

/**
 * The schemas that contribute an object's properties: its own, those of `allOf`, and its
 * alternatives. A property of an alternative may not apply.
 */
function partsOf(
  reader: Reader,
  schema: JsonRecord,
  depth: number,
): { schema: JsonRecord; isCertain: boolean }[] {
  if (depth > maxTypeDepth) return [];
  const target = resolve(reader.root, schema)?.schema ?? schema;
  const below = (
    keyword: string,
    isCertain: boolean,
  ): { schema: JsonRecord; isCertain: boolean }[] =>
    mappingsIn(target[keyword]).flatMap((part) =>
      partsOf(reader, part, depth + 1).map((inner) => ({
        ...inner,
        isCertain: inner.isCertain && isCertain,
      })),
    );
  return [
    { schema: target, isCertain: true },
    ...below("allOf", true),
    ...below("oneOf", false),
    ...below("anyOf", false),
  ];
}

function typeOf(reader: Reader, schema: unknown, at: { name: string; depth: number }): ShownType {
  if (!isRecord(schema)) return { type: schema === false ? "never" : "any" };
  if (at.depth > maxTypeDepth) return { type: "..." };
  if (typeof schema["$ref"] === "string") return typeOfReference(reader, schema, at);
  const shown = plainType(reader, schema, at);
  return schema["nullable"] === true ? { ...shown, type: `${shown.type}|null` } : shown;
}

function typeOfReference(
  reader: Reader,
  schema: JsonRecord,
  at: { name: string; depth: number },
): ShownType {
  const target = resolve(reader.root, schema);
  const name = target?.name ?? lastSegment(String(schema["$ref"]));
  if (target === undefined) return { type: name };
  if (target.schema === reader.root)
    return { type: typeof reader.root["title"] === "string" ? reader.root["title"] : "self" };
  if (!isObjectSchema(target.schema))
    return typeOf(reader, target.schema, { ...at, depth: at.depth + 1 });
  share(reader, name, target.schema);
  return { type: name };
}

function plainType(
  reader: Reader,
  schema: JsonRecord,
  at: { name: string; depth: number },
): ShownType {
  if (Array.isArray(schema["enum"])) return withNull("enum", schema["enum"]);
  if (Object.hasOwn(schema, "const")) return withNull("const", [schema["const"]]);
  const choices = [...mappingsIn(schema["oneOf"]), ...mappingsIn(schema["anyOf"])];
  if (choices.length > 0 && !isRecord(schema["properties"])) return unionOf(reader, choices, at);
  const parts = mappingsIn(schema["allOf"]);
  if (parts.length === 1 && !isRecord(schema["properties"]))
    return typeOf(reader, parts[0], { ...at, depth: at.depth + 1 });
  const names = namesIn(typeof schema["type"] === "string" ? [schema["type"]] : schema["type"]);
  const types = names.length > 0 ? names : [impliedType(schema)];
  const shown = types.map((type) =>
    type === "array" || type === "object" ? nestedType(reader, { schema, type }, at) : { type },
  );
  const values = shown.find((item) => item.values !== undefined)?.values;
  return {
    type: shown.map((item) => item.type).join("|"),
    values,
  };
}

function impliedType(schema: JsonRecord): string {
  if (isObjectSchema(schema)) return "object";
  return Object.hasOwn(schema, "items") || Object.hasOwn(schema, "prefixItems") ? "array" : "any";
}

function nestedType(
  reader: Reader,
  from: { schema: JsonRecord; type: string },
  at: { name: string; depth: number },
): ShownType {
  const { schema, type } = from;
  const depth = at.depth + 1;
  if (type === "array") {
    const tuple =
      schema["prefixItems"] ?? (Array.isArray(schema["items"]) ? schema["items"] : undefined);
    if (Array.isArray(tuple)) {
      return {
        type: `[${tuple
          .slice(0, 10)
          .map((item: unknown) => typeOf(reader, item, { name: `${at.name}[]`, depth }).type)
          .join(",")}]`,
      };
    }
    const items = typeOf(reader, schema["items"] ?? true, { name: `${at.name}[]`, depth });
    return { ...items, type: items.type.includes("|") ? `(${items.type})[]` : `${items.type}[]` };
  }
  if (isObjectSchema(schema)) {
    reader.queue.push({ schema, prefix: `${at.name}.` });
    return { type: "object" };
  }
  const values = schema["additionalProperties"];
  if (!isRecord(values)) return { type: "object" };
  const shown = typeOf(reader, values, { name: `${at.name}.*`, depth });
  return { ...shown, type: `map<${shown.type}>` };
}

/** The type of a union. If all alternatives are constants, they form an enumeration. */
function unionOf(
  reader: Reader,
  choices: JsonRecord[],
  at: { name: string; depth: number },
): ShownType {
  const constants = choices.map((choice) =>
    Array.isArray(choice["enum"])
      ? choice["enum"]
      : Object.hasOwn(choice, "const")
        ? [choice["const"]]
        : undefined,
  );
  if (constants.every((values) => values !== undefined)) return withNull("enum", constants.flat());
  const shown = choices.map((choice) => typeOf(reader, choice, { ...at, depth: at.depth + 1 }));
  const values = shown.flatMap((item) => item.values ?? []);
  const types = [...new Set(shown.map((item) => item.type))];
  return { type: types.join("|"), values: values.length === 0 ? undefined : values };
}

function withNull(word: string, values: unknown[]): ShownType {
  const shown = values.filter((value) => value !== null).map(plainText);
  return {
    type: values.includes(null) && values.length > 1 ? `${word}|null` : word,
    values: values.length === 1 && values[0] === null ? ["null"] : shown,
  };
}

function share(reader: Reader, name: string, schema: unknown): void {
  if (reader.sharedNames.has(name) || !isRecord(schema)) return;
  reader.sharedNames.add(name);
  reader.queue.push({ schema, prefix: `${name}.` });
}

function isObjectSchema(schema: JsonRecord): boolean {
  if (isRecord(schema["properties"])) return true;
  return (
    mappingsIn(schema["allOf"]).length > 1 ||
    (schema["type"] === "object" && mappingsIn(schema["oneOf"]).length > 0)
  );
}

/** Follows local references. Undefined if there is none or it cannot be resolved. */
function resolve(
  root: JsonRecord,
  schema: JsonRecord,
): { name: string; schema: JsonRecord } | undefined {
  let found: { name: string; schema: JsonRecord } | undefined;
  let current = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    const reference = current["$ref"];
    if (typeof reference !== "string") return found;
    const target = reference.startsWith("#") ? pointTo(root, reference.slice(1)) : undefined;
    if (target === undefined) return undefined;
    found = { name: lastSegment(reference), schema: target };
    current = target;
  }
  return undefined;
}

function pointTo(root: JsonRecord, pointer: string): JsonRecord | undefined {
  let target: unknown = root;
  for (const segment of pointer.split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    const isHeld = typeof target === "object" && target !== null && Object.hasOwn(target, key);
    target = isHeld ? Reflect.get(Object(target), key) : undefined;
  }
  return isRecord(target) ? target : undefined;
}

const lastSegment = (reference: string): string =>
  (reference.split(/[/#]/).at(-1) ?? reference).replace(/\.json$/, "");
const mappingsIn = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const plainText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
