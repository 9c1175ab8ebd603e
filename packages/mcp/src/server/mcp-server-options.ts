import type { ArtifactStore } from "@ccl/artifact-store";
import type { LanguageModel, TokenCounter } from "@ccl/core";
import type { McpRequestContext, Server } from "@modelcontextprotocol/server";

import type { CatalogReader } from "./catalog-tools.ts";
import type { PlanSource } from "./plan-tools.ts";
import type { ProjectSource } from "./project-tools.ts";
import type { QuerySource } from "./run-query.ts";
import type { ServerTool } from "./server-tool.ts";
import type { Opener, Source } from "./source.ts";

/**
 * What a server offers. An absent part has no tools, so that a client lists only tools that work. A function opens its
 * part at the first call that needs it. The caller closes what it opened.
 */
export interface McpServerOptions {
  project?: Source<ProjectSource> | undefined;
  artifacts?: Source<ArtifactStore> | undefined;
  catalog?: Source<CatalogReader> | undefined;
  /** Requires `catalog`. */
  query?: Source<QuerySource> | undefined;
  plans?: PlanSource | undefined;
  /** Works on tasks with the read-only tools, as `orchestrate_compiled`. Requires `artifacts`. */
  model?: Source<LanguageModel> | undefined;
  /** Additional tools of the application. */
  tools?: readonly ServerTool[] | undefined;
  /** `estimatedCounter` by default. */
  counter?: Source<TokenCounter> | undefined;
  /**
   * The owner of stored results, such as a project. Searches find the results of their own session. `mcp` by default.
   */
  owner?: string | undefined;
}

/** The parts that tools, resources and prompts share. Each is opened once. */
export interface ServerParts {
  project?: Opener<ProjectSource> | undefined;
  artifacts?: Opener<ArtifactStore> | undefined;
  catalog?: Opener<CatalogReader> | undefined;
  counter: Opener<TokenCounter>;
}

/**
 * Creates a server for one connection or one request. `serveStdio` and `createMcpHandler` of the official SDK accept
 * it.
 */
export type McpServerFactory = (context: McpRequestContext) => Server;
