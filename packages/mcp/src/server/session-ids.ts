import { randomUUID } from "node:crypto";

import { sha8 } from "@ccl/core";
import type { McpRequestContext } from "@modelcontextprotocol/server";

/** Creates session ids for the server of one owner, such as a project. Searches in a session find its own results. */
export function createSessionIds(owner = "mcp"): (context: McpRequestContext) => string {
  const project = `mcp-${sha8(owner)}`;
  // Clients with the newer protocol open a connection for each request, so these all share one id.
  const shared = `${project}/${randomUUID()}`;
  return ({ era }) => (era === "legacy" ? `${project}/${randomUUID()}` : shared);
}
