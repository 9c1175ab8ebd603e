import { randomUUID } from "node:crypto";

import { sha8 } from "@ccl/core";
import type { McpRequestContext } from "@modelcontextprotocol/server";

/** Names the sessions of one owner's server, such as a project's: what a session stored is found by its own searches. */
export function createSessionIds(owner: string): (context: McpRequestContext) => string {
  const project = `mcp-${sha8(owner)}`;
  // A client of the newer protocol has a connection for each request.
  const shared = `${project}/${randomUUID()}`;
  return ({ era }) => (era === "legacy" ? `${project}/${randomUUID()}` : shared);
}
