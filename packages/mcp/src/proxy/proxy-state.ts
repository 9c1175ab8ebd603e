import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { Server } from "@modelcontextprotocol/server";

import type { ServerTool } from "../server/server-tool.ts";
import type { ResultStatistics } from "./shrink-result.ts";
import type { ToolList } from "./tool-list.ts";
import type { Upstream } from "./upstream.ts";

/** What the proxy did so far, in tokens by its counter. */
export interface McpProxyStatistics {
  servers: Record<string, { tools: number; calls: number; restarts: number; problem?: string }>;
  list: { before: number; after: number };
  results: ResultStatistics;
  finds: number;
  /** Finds without an answer, and calls of tools that there are not. */
  misses: number;
}

/** What the parts of a proxy share. */
export interface ProxyState {
  upstreams(): readonly Upstream[];
  /** Starts the servers, once, for a client that can do this, and waits up to 8 s for them. */
  start(capabilities: ClientCapabilities): Promise<void>;
  /** Waits once more for servers that are still starting. */
  settle(): Promise<void>;
  /** Waits for servers that `start` did not wait for any longer; false where there were none. */
  waitForLate(signal: AbortSignal): Promise<boolean>;
  list(): ToolList;
  connected: Set<Server>;
  counts: { finds: number; misses: number; calls: Map<string, number> };
  ownTools: readonly ServerTool[];
  statistics(): McpProxyStatistics;
}
