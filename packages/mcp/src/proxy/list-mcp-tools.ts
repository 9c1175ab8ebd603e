import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";

import { McpError } from "../mcp-error.ts";

const page = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional().catch(undefined),
});
const maxPages = 100;

/**
 * Lists all tools of a server without checking them, so that one invalid tool does not affect the
 * others.
 * @throws McpError `endless_list`
 */
export async function listMcpTools(
  client: Client,
  options: { signal?: AbortSignal; timeout?: number } = {},
): Promise<unknown[]> {
  const tools: unknown[] = [];
  if (client.getServerCapabilities()?.tools === undefined) return tools;
  const cursors = new Set<string | undefined>([undefined]);
  let params = {};
  while (cursors.size <= maxPages) {
    const read = await client.request({ method: "tools/list", params }, page, options);
    tools.push(...read.tools);
    if (cursors.has(read.nextCursor)) return tools;
    cursors.add(read.nextCursor);
    params = { cursor: read.nextCursor };
  }
  throw new McpError("endless_list", `The tool list has more than ${maxPages} pages.`);
}
