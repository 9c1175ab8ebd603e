import type { Issue } from "@ccl/core";
import { inertText } from "../record/inert-text.ts";
import { CatalogError } from "../catalog-error.ts";
import { isRecord } from "@ccl/core/json";
import type { StandardSchema } from "@ccl/structured-output";
import * as z from "zod";

/** Tools of the AI SDK by name, or a list of tools of OpenAI, Anthropic, LangChain or of type `ToolDefinition`. */
export type ForeignTools = Readonly<Record<string, object>> | readonly object[];

/** Calls a tool. `options` are the client's own and are passed on unchanged. */
type ToolCall = (input: unknown, options: unknown) => unknown;

/** A tool of any client. */
export interface ForeignTool {
  name: string;
  description: string;
  schema: unknown;
  /** Absent if the tool is only a description, as for OpenAI and Anthropic. */
  call?: ToolCall | undefined;
}

/**
 * Reads tools of any client.
 * @throws CatalogError `invalid_options` for a tool without a name, or for two with the same name
 */
export function readForeignTools(tools: ForeignTools): ForeignTool[] {
  const found = isList(tools)
    ? tools.map((tool) => readTool(tool, undefined))
    : Object.entries(tools).map(([name, tool]) => readTool(tool, name));
  const names = new Set<string>();
  for (const { name } of found) {
    if (names.has(name))
      throw new CatalogError("invalid_options", `Two tools are named ${JSON.stringify(name)}.`);
    names.add(name);
  }
  return found;
}

function isList(tools: ForeignTools): tools is readonly object[] {
  return Array.isArray(tools);
}

function readTool(tool: object, key: string | undefined): ForeignTool {
  const outer: Record<string, unknown> = isRecord(tool) ? tool : {};
  const inner = isRecord(outer["function"]) ? outer["function"] : outer;
  const name = key ?? inner["name"];
  if (typeof name !== "string" || name === "") {
    const message = `A tool needs a name; got ${JSON.stringify(name)}.`;
    throw new CatalogError("invalid_options", message);
  }
  const description = typeof inner["description"] === "string" ? inner["description"] : "";
  const schemas = ["inputSchema", "input_schema", "parameters", "schema"].map((at) => inner[at]);
  const call = ["execute", "invoke", "run", "function"].flatMap((at): ToolCall[] => {
    const method = inner[at];
    return typeof method === "function" ? [(...args) => method.apply(inner, args)] : [];
  })[0];
  return { name, description, schema: schemas.find((schema) => schema !== undefined), call };
}

/** Returns the JSON Schema of a tool's input. It accepts any object if the tool does not define one. */
export async function jsonSchemaOf(schema: unknown): Promise<object> {
  if (!isRecord(schema)) return { type: "object" };
  if (isZod(schema)) return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const standard = schema["~standard"];
  const wrapped: unknown = await schema["jsonSchema"];
  if (isRecord(wrapped)) return wrapped;
  if (isRecord(standard) && isRecord(standard["jsonSchema"])) {
    const { input } = standard["jsonSchema"];
    const written: unknown =
      typeof input === "function" ? input({ target: "draft-07" }) : undefined;
    return isRecord(written) ? written : { type: "object" };
  }
  return isRecord(standard) || "_def" in schema ? { type: "object" } : schema;
}

/** Describes what is wrong with an input, in one line. */
export function reasonsOf(issues: readonly Issue[]): string {
  const reasons = issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
  return inertText(reasons.join("; "), 600);
}

/** True if the schema's own library does the validation. False for plain JSON. */
export function isStandard(schema: unknown): schema is StandardSchema<unknown> {
  return isRecord(schema) && isRecord(schema["~standard"]);
}

function isZod(schema: object): schema is z.core.$ZodType {
  return "_zod" in schema;
}
