import { withoutUndefined } from "@ccl/core/json";
import type { ResourceColumn, ResourceInput } from "../record/resource-record.ts";
import { cleanField, cleanText } from "./clean-text.ts";
import { schemaColumns } from "./schema-columns.ts";

/** A tool or skill. It is called with an object and may declare its output. */
interface Callable {
  name: string;
  description?: unknown;
  inputSchema: object;
  outputSchema?: object | undefined;
}

/** Returns the columns of a tool's input and output (`in: "input"`, `in: "output"`) and an example call to copy. */
export function callableFields({
  name,
  description,
  inputSchema,
  outputSchema,
}: Callable): Partial<ResourceInput> {
  const input = schemaColumns(inputSchema, { in: "input" });
  const output =
    outputSchema === undefined ? undefined : schemaColumns(outputSchema, { in: "output" });
  const columns = [...input.columns, ...(output?.columns ?? [])];
  const unresolved = [...input.unresolved, ...(output?.unresolved ?? [])];
  return withoutUndefined({
    ...cleanField("description", description),
    cap: ["call"],
    shape: { cols: columns.length },
    columns,
    usage: { snippets: [{ engine: "json", code: exampleCall(name, input.columns) }] },
    columns_cut: input.isCut || output?.isCut === true || undefined,
    unresolved_refs: unresolved.length > 0 ? unresolved : undefined,
  });
}

/** Returns a call with the required fields. Each value is the field's type in angle brackets. */
function exampleCall(name: string, columns: readonly ResourceColumn[]): string {
  const required = columns.filter((column) => column.nn === true && !/[.[]/.test(column.name));
  const fields = required.map((column) => [
    column.name,
    `<${cleanText(column.type, 60) ?? "any"}>`,
  ]);
  return JSON.stringify({ tool: cleanText(name, 200), arguments: Object.fromEntries(fields) });
}
