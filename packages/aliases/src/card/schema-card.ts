import { cleanItem, maxCardLines, maxCardTextLength } from "./card-lines.ts";
import { isJsonSchema, readJsonSchema } from "./json-schema-fields.ts";
import { packItems } from "./pack-items.ts";
import { renderField, renderRequired, type SchemaField } from "./schema-field.ts";
import { readSchemaText } from "./schema-text-fields.ts";
import { readTypeMap } from "./type-map-fields.ts";
import type { StructuredText } from "./structured-text.ts";

/**
 * Reads the fields of a JSON Schema, OpenAPI, GraphQL, protobuf or SQL file. If the alias marks the
 * file as a schema, also accepts a plain map of names to types.
 */
export function readSchema(source: StructuredText): SchemaField[] | undefined {
  const value = source.value();
  const fields = isJsonSchema(value)
    ? readJsonSchema(value)
    : ((source.isSchema ? readTypeMap(value) : undefined) ??
      readSchemaText(source.path, source.text));
  return fields !== undefined && fields.length > 0 ? fields : undefined;
}

/** Renders one field per line, or several per line if there are more fields than lines. */
export function schemaCard(fields: readonly SchemaField[]): string[] {
  const lines = fields.slice(0, maxCardLines).flatMap(renderLines);
  if (fields.length <= maxCardLines && lines.length <= maxCardLines) return lines;
  return packItems("", fields.map(renderField), { maxLines: maxCardLines, separator: ", " });
}

/** Renders a field. A long enumeration takes several lines, because a truncated one is useless. */
function renderLines(field: SchemaField): string[] {
  const line = cleanItem(renderField(field));
  if (line.length <= maxCardTextLength || field.values === undefined) return [line];
  return packItems(`${field.name}: ${field.type}${renderRequired(field)}`, field.values, {
    maxLines: 4,
    separator: ",",
  });
}
