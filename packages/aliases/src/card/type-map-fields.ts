import { isRecord, type JsonRecord } from "@ccl/core/json";

import { maxSchemaFields, type SchemaField } from "./schema-field.ts";

const typeWord =
  /\b(?:str(?:ing)?|text|u?int(?:eger)?\d*|float\d*|double|decimal|number|bool(?:ean)?|date(?:-?time)?|timestamp|uuid|url|email|object|dict|array|list|map|any|null|json|bytes|enum)\b/i;

/**
 * The fields of a map of names to types, such as `{"id": "int", "tags": "string[]?"}`. Undefined for
 * anything else.
 */
export function readTypeMap(value: unknown): SchemaField[] | undefined {
  const fields = isRecord(value) ? readMap(value, { prefix: "", depth: 0 }) : [];
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
