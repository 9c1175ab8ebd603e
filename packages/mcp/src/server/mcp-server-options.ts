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
 * The parts that a server offers. A missing part has no tools, so that a client lists only tools that work. A function
 * opens its part on the first call that needs it. The caller closes whatever it opened.
 */
export interface McpServerOptions {
  project?: Source<ProjectSource> | undefined;
  artifacts?: Source<ArtifactStore> | undefined;
  catalog?: Source<CatalogReader> | undefined;
  /** Requires `catalog`. */
  query?: Source<QuerySource> | undefined;
  plans?: PlanSource | undefined;
  /** Works on tasks with the read-only tools, through `orchestrate_compiled`. Requires `artifacts`. */
  model?: Source<LanguageModel> | undefined;
  /** Additional tools from the application. */
  tools?: readonly ServerTool[] | undefined;
  /** `estimatedCounter` by default. */
  counter?: Source<TokenCounter> | undefined;
  /** Owner of stored results, such as a project. Searches find the results of their own session. `mcp` by default. */
  owner?: string | undefined;
}

/** Parts shared by tools, resources and prompts. Each is opened once. */
export interface ServerParts {
  project?: Opener<ProjectSource> | undefined;
  artifacts?: Opener<ArtifactStore> | undefined;
  catalog?: Opener<CatalogReader> | undefined;
  counter: Opener<TokenCounter>;
}

/**
 * Creates a server for one connection or request. Works with `serveStdio` and `createMcpHandler` of the official SDK.
 */
export type McpServerFactory = (context: McpRequestContext) => Server;
