import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { Server } from "@modelcontextprotocol/server";

import type { ServerTool } from "../server/server-tool.ts";
import type { ResultShrinker, ResultStatistics } from "./shrink-result.ts";
import type { ToolList } from "./tool-list.ts";
import type { Upstream } from "./upstream.ts";

/** The state of one server. */
interface ServerStatistics {
  tools: number;
  calls: number;
  restarts: number;
  /** Why the server does not answer. */
  problem?: string;
  /** Changes to its tools so that models accept them. */
  changes: readonly string[];
}

/** Counters since the proxy started, in tokens by its counter. */
export interface McpProxyStatistics {
  servers: Record<string, ServerStatistics>;
  list: { before: number; after: number };
  results: ResultStatistics;
  finds: number;
  /** Calls of tools that do not exist. */
  misses: number;
}

/** What the parts of a proxy share. */
export interface ProxyState {
  upstreams(): readonly Upstream[];
  /** Starts the servers once, with the first client's capabilities, and waits up to 2 s for them. */
  start(capabilities: ClientCapabilities): Promise<void>;
  list(): ToolList;
  connected: Set<Server>;
  counts: { finds: number; misses: number; calls: Map<string, number> };
  ownTools: readonly ServerTool[];
  createShrinker(sessionId: string): ResultShrinker;
  statistics(): McpProxyStatistics;
}
