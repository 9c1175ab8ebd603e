import { objectSchema } from "@ccl/catalog";
import { isRecord, type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";
import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";
import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";

const properties = z.record(z.string(), z.json());
const unsuited = ["$ref", "allOf", "anyOf", "enum", "not", "oneOf"];

/**
 * Changes a server's tool so that clients and model APIs accept it, and lists the changes. Returns undefined for a tool
 * without a name, since it can't be called. Removes `outputSchema`, because results are shortened and clients reject a
 * result that does not match its schema.
 */
export function repairTool(given: unknown): { tool: Tool; changes: string[] } | undefined {
  const name = stringAt(given, "name") ?? "";
  if (!isRecord(given) || name === "") return undefined;
  const { inputSchema, annotations } = given;
  const changes = ["title", "description"].flatMap((key) =>
    given[key] === undefined || typeof given[key] === "string"
      ? []
      : [`its ${key} is not a string`],
  );
  const isPlain =
    isRecord(inputSchema) &&
    inputSchema["type"] === "object" &&
    !unsuited.some((key) => key in inputSchema);
  const isKept = isPlain && isSchema(inputSchema);
  if (!isKept) changes.push(`its inputSchema is not a ${isPlain ? "JSON Schema" : "plain object"}`);
  const texts = {
    title: stringAt(given, "title"),
    description: stringAt(given, "description"),
    annotations: isRecord(annotations) ? annotations : undefined,
  };
  const schema = isKept ? { ...inputSchema, type: "object" as const } : plainSchema(inputSchema);
  return { tool: { name, ...withoutUndefined(texts), inputSchema: schema }, changes };
}

/** Repairs a schema. Model APIs reject a whole request if one schema is invalid or its root is not an object. */
function plainSchema(given: unknown): Tool["inputSchema"] {
  const { $defs } = isRecord(given) ? given : {};
  const definitions = isRecord($defs) && isSchema({ $defs }) ? { $defs } : {};
  const found = objectSchema(given);
  const shown = Object.entries(found.properties).filter(([key, schema]) =>
    isSchema({ ...definitions, properties: { [key]: schema } }),
  );
  const all = Object.fromEntries(found.required.map((name) => [name, {}]));
  return {
    ...definitions,
    type: "object",
    properties: properties.parse({ ...all, ...Object.fromEntries(shown) }),
    required: found.required,
  };
}

function isSchema(schema: JsonRecord): boolean {
  try {
    createJsonSchemaChecker(schema);
    return true;
  } catch {
    return false;
  }
}
