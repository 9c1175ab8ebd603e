import { isRecord, type JsonRecord } from "@ccl/core/json";

import { maxSchemaFields, type SchemaField } from "./schema-field.ts";

const typeWord =
  /\b(?:str(?:ing)?|text|u?int(?:eger)?\d*|float\d*|double|decimal|number|bool(?:ean)?|date(?:-?time)?|timestamp|uuid|url|email|object|dict|array|list|map|any|null|json|bytes|enum)\b/i;

/**
 * Reads the fields of a map of names to types, such as `{"id": "int", "tags": "string[]?"}`.
 * Returns undefined for anything else.
 */
export function readTypeMap(value: unknown): SchemaField[] | undefined {
  const fields = isRecord(value) ? readMap(value, "", 0) : [];
  return fields.length > 0 && fields.every((field) => typeWord.test(field.type))
    ? fields
    : undefined;
}

function readMap(map: JsonRecord, prefix: string, depth: number): SchemaField[] {
  return Object.entries(map)
    .slice(0, maxSchemaFields)
    .flatMap(([name, type]): SchemaField[] => {
      if (isRecord(type) && depth < 3) return readMap(type, `${prefix}${name}.`, depth + 1);
      if (typeof type !== "string" || type.length > 200) return [{ name, type: "", facts: {} }];
      const isRequired = type.endsWith("?") ? false : undefined;
      return [{ name: prefix + name, type: type.replace(/\?$/, ""), isRequired, facts: {} }];
    });
}
