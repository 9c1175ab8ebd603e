import { randomUUID } from "node:crypto";

import { sha8 } from "@ccl/core";
import type { McpRequestContext } from "@modelcontextprotocol/server";

/** Creates the session ids of one owner's server, such as a project's. A session's searches find its own results. */
export function createSessionIds(owner = "mcp"): (context: McpRequestContext) => string {
  const project = `mcp-${sha8(owner)}`;
  // A client of the newer protocol opens a connection for each request, so all of them share one id.
  const shared = `${project}/${randomUUID()}`;
  return ({ era }) => (era === "legacy" ? `${project}/${randomUUID()}` : shared);
}
