import { isRecord, recordAt, type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { cleanText } from "../schema/clean-text.ts";
import { resourceId, resourceUri } from "./resource-address.ts";
import { lastById } from "./from-tools.ts";
import { callableFields } from "../schema/callable-fields.ts";

/** Options of `fromMcpTools`. */
export interface FromMcpToolsOptions {
  /**
   * Your name for the server. It becomes part of ids (`res:mcp.files.read_file`) and uris
   * (`ada://any/mcp/files/read_file`).
   */
  server: string;
  owner?: string | undefined;
  tags?: readonly string[] | undefined;
}

/**
 * Imports an MCP server's tools, as returned by `tools/list`, as resources of kind `skill`, sorted by name.
 * Columns come from their schemas, and tags from their annotations (`readonly`, `destructive`, `idempotent`,
 * `openworld`), which are unverified claims by the server. If two tools have the same name, the later one wins.
 * @throws CatalogError `import_failed` for a tool without a name
 */
export function fromMcpTools(
  tools: readonly unknown[],
  options: FromMcpToolsOptions,
): ResourceInput[] {
  return lastById(tools.map((tool) => toolResource(tool, options)));
}

function toolResource(
  tool: unknown,
  { server, owner, tags = [] }: FromMcpToolsOptions,
): ResourceInput {
  const name = stringAt(tool, "name") ?? "";
  if (name === "" || !isRecord(tool)) {
    const message = `The MCP server "${server}" names a tool without a name; fix the server.`;
    throw new CatalogError("import_failed", message);
  }
  const annotations = recordAt(tool, "annotations");
  return withoutUndefined({
    id: resourceId("mcp", server, name),
    uri: resourceUri("mcp", server, name),
    kind: "skill",
    title: cleanText(tool["title"] ?? annotations["title"] ?? name, 200) ?? "tool",
    tags: [...new Set(["mcp", server, ...annotationTags(annotations), ...tags])],
    owner,
    ...callableFields({
      name,
      description: tool["description"],
      inputSchema: recordAt(tool, "inputSchema"),
      outputSchema: isRecord(tool["outputSchema"]) ? tool["outputSchema"] : undefined,
    }),
  });
}

const annotationNames = [
  ["readOnlyHint", "readonly"],
  ["destructiveHint", "destructive"],
  ["idempotentHint", "idempotent"],
  ["openWorldHint", "openworld"],
] as const;

function annotationTags(annotations: JsonRecord): string[] {
  return annotationNames.filter(([hint]) => annotations[hint] === true).map(([, tag]) => tag);
}
