import { isRecord, type JsonRecord, recordAt, stringAt, valueAt } from "@ccl/core/json";

import { maxSchemaFields, type SchemaField } from "./schema-field.ts";

const factNames = (
  "format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default " +
  "minLength maxLength minItems maxItems uniqueItems minProperties maxProperties"
).split(" ");
/** Types nested deeper than this are shown as `...`. */
const maxTypeDepth = 6;

/** True for a JSON Schema or an OpenAPI document, recognized by its keywords. */
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

/** The text shown for a type, with the values of its `enum` or `const`. */
interface ShownType {
  type: string;
  values?: string[] | undefined;
}

/** A schema that contributes properties to an object. */
interface ObjectPart {
  schema: JsonRecord;
  /** False in an alternative, because its properties may not apply. */
  isCertain: boolean;
}

/**
 * Lists the fields of a JSON Schema, level by level. A shared type is listed once, under its own
 * name. Only local references are followed.
 */
export function readJsonSchema(root: JsonRecord): SchemaField[] {
  return new SchemaReader(root).read();
}

class SchemaReader {
  readonly #root: JsonRecord;
  readonly #fields: SchemaField[] = [];
  readonly #queue: { schema: JsonRecord; prefix: string }[];
  readonly #sharedNames = new Set<string>();

  constructor(root: JsonRecord) {
    this.#root = root;
    this.#queue = [{ schema: root, prefix: "" }];
  }

  read(): SchemaField[] {
    const root = this.#root;
    const definitions = Object.hasOwn(root, "properties")
      ? undefined
      : (root["$defs"] ?? root["definitions"]);
    const shared = openApiSchemas(root) ?? definitions;
    for (const [name, schema] of isRecord(shared) ? Object.entries(shared) : [])
      this.#share(name, schema);
    for (const { schema, prefix } of this.#queue)
      if (this.#fields.length < maxSchemaFields) this.#readObject(schema, prefix);
    return this.#fields;
  }

  #share(name: string, schema: unknown): void {
    if (this.#sharedNames.has(name) || !isRecord(schema)) return;
    this.#sharedNames.add(name);
    this.#queue.push({ schema, prefix: `${name}.` });
  }

  #readObject(schema: JsonRecord, prefix: string): void {
    const parts = this.#partsOf(schema, true, 0);
    const required = new Set(
      parts.flatMap((part) => (part.isCertain ? namesIn(part.schema["required"]) : [])),
    );
    const properties = parts.flatMap((part) => Object.entries(recordAt(part.schema, "properties")));
    const seen = new Set<string>();
    for (const [name, property] of properties) {
      if (seen.has(name) || this.#fields.length >= maxSchemaFields) continue;
      seen.add(name);
      this.#fields.push({
        ...this.#readField(prefix + name, property),
        isRequired: required.has(name),
      });
    }
    if (prefix !== "" && seen.size === 0)
      this.#fields.push(this.#readField(prefix.slice(0, -1), schema));
  }

  /** Returns the object itself, the schemas of its `allOf`, and its alternatives. */
  #partsOf(input: JsonRecord, isCertain: boolean, depth: number): ObjectPart[] {
    if (depth > maxTypeDepth) return [];
    const schema = resolve(this.#root, input)?.schema ?? input;
    const below = (keyword: string, isSure: boolean): ObjectPart[] =>
      mappingsIn(schema[keyword]).flatMap((part) => this.#partsOf(part, isSure, depth + 1));
    return [
      { schema, isCertain },
      ...below("allOf", isCertain),
      ...below("oneOf", false),
      ...below("anyOf", false),
    ];
  }

  #readField(name: string, schema: unknown): SchemaField {
    const source = isRecord(schema) ? (resolve(this.#root, schema)?.schema ?? schema) : {};
    const facts = factNames.flatMap((fact) =>
      source[fact] === undefined ? [] : [[fact, plainText(source[fact])] as const],
    );
    return { name, ...this.#typeOf(schema, name, 0), facts: Object.fromEntries(facts) };
  }

  #typeOf(schema: unknown, name: string, depth: number): ShownType {
    if (!isRecord(schema)) return { type: schema === false ? "never" : "any" };
    if (depth > maxTypeDepth) return { type: "..." };
    const reference = stringAt(schema, "$ref");
    if (reference !== undefined) return this.#typeOfReference(schema, reference, { name, depth });
    const shown = this.#plainType(schema, name, depth + 1);
    return schema["nullable"] === true ? { ...shown, type: `${shown.type}|null` } : shown;
  }

  #typeOfReference(
    schema: JsonRecord,
    reference: string,
    { name, depth }: { name: string; depth: number },
  ): ShownType {
    const target = resolve(this.#root, schema);
    if (target === undefined) return { type: lastSegment(reference) };
    if (target.schema === this.#root) return { type: stringAt(this.#root, "title") ?? "self" };
    if (!isObjectSchema(target.schema)) return this.#typeOf(target.schema, name, depth + 1);
    this.#share(target.name, target.schema);
    return { type: target.name };
  }

  #plainType(schema: JsonRecord, name: string, depth: number): ShownType {
    const constants = constantsIn(schema);
    if (constants !== undefined)
      return withNull(Array.isArray(schema["enum"]) ? "enum" : "const", constants);
    const choices = [...mappingsIn(schema["oneOf"]), ...mappingsIn(schema["anyOf"])];
    const parts = mappingsIn(schema["allOf"]);
    const hasOwn = isRecord(schema["properties"]);
    if (choices.length > 0 && !hasOwn) return this.#unionOf(choices, name, depth);
    if (parts.length === 1 && !hasOwn) return this.#typeOf(parts[0], name, depth);
    const names = namesIn([schema["type"]].flat());
    const types = (names.length > 0 ? names : [impliedType(schema)]).map((type): ShownType => {
      if (type === "array") return this.#arrayType(schema, name, depth);
      return type === "object" ? this.#objectType(schema, name, depth) : { type };
    });
    return { type: types.map(({ type }) => type).join("|"), values: valuesOf(types)[0] };
  }

  #arrayType(schema: JsonRecord, name: string, depth: number): ShownType {
    const typeOfItem = (item: unknown): ShownType => this.#typeOf(item, `${name}[]`, depth);
    const tuple = schema["prefixItems"] ?? schema["items"];
    if (Array.isArray(tuple)) {
      const shown = tuple.slice(0, 10).map((item: unknown) => typeOfItem(item).type);
      return { type: `[${shown.join(",")}]` };
    }
    const items = typeOfItem(schema["items"] ?? true);
    return { ...items, type: items.type.includes("|") ? `(${items.type})[]` : `${items.type}[]` };
  }

  #objectType(schema: JsonRecord, name: string, depth: number): ShownType {
    const isObject = isObjectSchema(schema);
    if (isObject) this.#queue.push({ schema, prefix: `${name}.` });
    const values = schema["additionalProperties"];
    if (isObject || !isRecord(values)) return { type: "object" };
    const shown = this.#typeOf(values, `${name}.*`, depth);
    return { ...shown, type: `map<${shown.type}>` };
  }

  /** Returns the type of a union. If all alternatives are constants, they form an enumeration. */
  #unionOf(choices: JsonRecord[], name: string, depth: number): ShownType {
    const constants = choices.map(constantsIn);
    if (constants.every((values) => values !== undefined))
      return withNull("enum", constants.flat());
    const shown = choices.map((choice) => this.#typeOf(choice, name, depth));
    const values = valuesOf(shown).flat();
    const types = new Set(shown.map(({ type }) => type));
    return { type: [...types].join("|"), values: values.length === 0 ? undefined : values };
  }
}

const valuesOf = (types: readonly ShownType[]): string[][] =>
  types.flatMap(({ values }) => (values === undefined ? [] : [values]));

function constantsIn(schema: JsonRecord): unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return Object.hasOwn(schema, "const") ? [schema["const"]] : undefined;
}

function withNull(word: string, values: unknown[]): ShownType {
  const shown = values.filter((value) => value !== null).map(plainText);
  return {
    type: values.includes(null) && values.length > 1 ? `${word}|null` : word,
    values: values.length === 1 && values[0] === null ? ["null"] : shown,
  };
}

function impliedType(schema: JsonRecord): string {
  if (isObjectSchema(schema)) return "object";
  return Object.hasOwn(schema, "items") || Object.hasOwn(schema, "prefixItems") ? "array" : "any";
}

function isObjectSchema(schema: JsonRecord): boolean {
  if (isRecord(schema["properties"])) return true;
  return (
    mappingsIn(schema["allOf"]).length > 1 ||
    (schema["type"] === "object" && mappingsIn(schema["oneOf"]).length > 0)
  );
}

/** Follows local references. Returns undefined if there is none or it cannot be resolved. */
function resolve(
  root: JsonRecord,
  schema: JsonRecord,
  hops = 16,
): { name: string; schema: JsonRecord } | undefined {
  const reference = stringAt(schema, "$ref");
  if (reference?.startsWith("#") !== true || hops === 0) return undefined;
  const steps = reference.split("/").slice(1);
  const target = valueAt(
    root,
    steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
  if (!isRecord(target)) return undefined;
  return stringAt(target, "$ref") === undefined
    ? { name: lastSegment(reference), schema: target }
    : resolve(root, target, hops - 1);
}

const lastSegment = (reference: string): string =>
  (reference.split(/[/#]/).at(-1) ?? reference).replace(/\.json$/, "");
const mappingsIn = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const plainText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
