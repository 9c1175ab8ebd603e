import { isRecord, type JsonRecord } from "@ccl/core/json";

import { maxSchemaFields, type SchemaField } from "./schema-field.ts";

const typeWord =
  /\b(?:str(?:ing)?|text|u?int(?:eger)?\d*|float\d*|double|decimal|number|bool(?:ean)?|date(?:-?time)?|timestamp|uuid|url|email|object|dict|array|list|map|any|null|json|bytes|enum)\b/i;

/**
 * The fields of an Avro record. With `isLoose`, also those of a map of names to types, such as
 * `{"id": "int", "tags": "string[]?"}`.
 */
export function readTypeMap(value: unknown, isLoose: boolean): SchemaField[] | undefined {
  if (!isRecord(value)) return undefined;
  if (value["type"] === "record" && Array.isArray(value["fields"]))
    return readAvro(value["fields"]);
  const fields = isLoose ? readMap(value, { prefix: "", depth: 0 }) : [];
  return fields.length > 0 && fields.every((field) => typeWord.test(field.type))
    ? fields
    : undefined;
}

function readMap(map: JsonRecord, at: { prefix: string; depth: number }): SchemaField[] {
  return Object.entries(map)
    .slice(0, maxSchemaFields)
    .flatMap(([name, type]) => {
      if (isRecord(type) && at.depth < 3)
        return readMap(type, { prefix: `${at.prefix}${name}.`, depth: at.depth + 1 });
      if (typeof type !== "string" || type.length > 200) return [{ name, type: "", facts: {} }];
      const isOptional = type.endsWith("?");
      const shown = {
        name: at.prefix + name,
        type: isOptional ? type.slice(0, -1) : type,
        facts: {},
      };
      return [isOptional ? { ...shown, isRequired: false } : shown];
    });
}

/** A field is required unless it has a default. */
function readAvro(fields: unknown[]): SchemaField[] {
  return fields
    .slice(0, maxSchemaFields)
    .filter(isRecord)
    .map((field) => ({
      name: String(field["name"]),
      type: avroType(field["type"], 0),
      isRequired: !Object.hasOwn(field, "default"),
      facts: {},
    }));
}

function avroType(type: unknown, depth: number): string {
  if (typeof type === "string") return type;
  if (depth > 6) return "...";
  if (Array.isArray(type)) return type.map((item: unknown) => avroType(item, depth + 1)).join("|");
  if (!isRecord(type)) return "any";
  if (type["type"] === "array") return `${avroType(type["items"], depth + 1)}[]`;
  if (type["type"] === "map") return `map<${avroType(type["values"], depth + 1)}>`;
  if (type["type"] === "enum" && Array.isArray(type["symbols"]))
    return `enum[${type["symbols"].join(",")}]`;
  return typeof type["name"] === "string" ? type["name"] : avroType(type["type"], depth + 1);
}
