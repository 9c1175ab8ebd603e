import { cleanItem, maxCardLines, maxCardTextLength } from "./card-lines.ts";
import { isJsonSchema, readJsonSchema } from "./json-schema-fields.ts";
import { packItems } from "./pack-items.ts";
import { renderField, renderRequired, type SchemaField } from "./schema-field.ts";
import { readSchemaText } from "./schema-text-fields.ts";
import { readTypeMap } from "./type-map-fields.ts";
import type { StructuredText } from "./structured-text.ts";

/**
 * Fields of a JSON Schema, OpenAPI, GraphQL, protobuf or SQL file. A file whose
 * alias says that it is a schema may also be a plain map of names to types.
 */
export function readSchema(source: StructuredText): SchemaField[] | undefined {
  const value = source.value();
  const fields = isJsonSchema(value)
    ? readJsonSchema(value)
    : ((source.isSchema ? readTypeMap(value) : undefined) ??
      readSchemaText(source.path, source.text));
  return fields !== undefined && fields.length > 0 ? fields : undefined;
}

/** One line per field, or several fields per line if there are more fields than lines. */
export function schemaCard(fields: readonly SchemaField[]): string[] {
  const lines = fields.slice(0, maxCardLines).flatMap(renderLines);
  if (fields.length <= maxCardLines && lines.length <= maxCardLines) return lines;
  return packItems("", fields.map(renderField), { maxLines: maxCardLines, separator: ", " });
}

/** A long enumeration takes several lines, because a part of it is useless. */
function renderLines(field: SchemaField): string[] {
  const line = cleanItem(renderField(field));
  if (line.length <= maxCardTextLength || field.values === undefined) return [line];
  return packItems(`${field.name}: ${field.type}${renderRequired(field)}`, field.values, {
    maxLines: 4,
    separator: ",",
  });
}
