import { throwIfAborted } from "@ccl/core/async";
import { compareCodeUnits } from "@ccl/core";
import { isRecord, recordAt, type JsonRecord, withoutUndefined } from "@ccl/core/json";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { cleanText } from "./clean-text.ts";
import { importFailure } from "./import-signal.ts";
import { textField } from "./text-field.ts";
import { resourceId, resourceUri } from "./resource-address.ts";
import { callableFields } from "./callable-fields.ts";

/** The part of `Client` of `@modelcontextprotocol/sdk` that is used. It must be connected. */
export interface McpToolSource {
  listTools(
    params?: { cursor?: string | undefined },
    options?: { signal?: AbortSignal | undefined; timeout?: number | undefined },
  ): Promise<{ tools: object[]; nextCursor?: string | undefined }>;
}

/** How the tools of a server are named and read. */
export interface FromMcpToolsOptions {
  /** Your name for the server. Part of ids (`res:mcp.files.read_file`) and uris (`ada://any/mcp/files/read_file`). */
  server: string;
  owner?: string | undefined;
  tags?: readonly string[] | undefined;
  /** Timeout of one page, 30,000 by default. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Limit for a server whose pages never end. */
const maxPages = 1_000;

/**
 * Imports the tools of an MCP server as resources of kind `skill`, by name. Columns come from their schemas, tags from
 * their annotations (`readonly`, `destructive`, `idempotent`, `openworld`), which are unverified claims of the server.
 * Reads all pages.
 * @throws CatalogError `import_failed`, `aborted`
 */
export async function fromMcpTools(
  source: McpToolSource | readonly object[],
  options: FromMcpToolsOptions,
): Promise<ResourceInput[]> {
  const tools = isToolSource(source) ? await listAll(source, options) : source;
  const resources = new Map<string, ResourceInput>();
  for (const tool of tools) {
    const resource = toolResource({ ...tool }, options);
    resources.set(resource.id, resource);
  }
  return [...resources.values()].sort((left, right) => compareCodeUnits(left.id, right.id));
}

function isToolSource(source: McpToolSource | readonly object[]): source is McpToolSource {
  return "listTools" in source;
}

async function listAll(
  source: McpToolSource,
  { server, signal, timeoutMs }: FromMcpToolsOptions,
): Promise<object[]> {
  const options = { timeout: timeoutMs ?? 30_000, signal };
  const found: object[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  try {
    do {
      throwIfAborted(signal, CatalogError);
      const page = await source.listTools(cursor === undefined ? {} : { cursor }, options);
      found.push(...page.tools);
      cursor = page.nextCursor;
      if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= maxPages)) {
        const message = `The MCP server "${server}" names page after page of tools without end (${found.length} so far).`;
        throw new CatalogError("import_failed", message);
      }
      cursors.add(cursor ?? "");
    } while (cursor !== undefined);
  } catch (error) {
    throw importFailure(`The list of tools of the MCP server "${server}"`, error, signal);
  }
  return found;
}

function toolResource(
  tool: JsonRecord,
  { server, owner, tags = [] }: FromMcpToolsOptions,
): ResourceInput {
  const name = textField(tool, "name");
  if (name === undefined) {
    throw new CatalogError(
      "import_failed",
      `The MCP server "${server}" names a tool without a name; fix the server.`,
    );
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
      inputSchema: isRecord(tool["inputSchema"]) ? tool["inputSchema"] : {},
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
