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
 * What a server offers. What is absent has no tools, so that a client lists none that can't work. A function opens its part at
 * the first call that needs it; the caller closes what was opened.
 */
export interface McpServerOptions {
  project?: Source<ProjectSource> | undefined;
  artifacts?: Source<ArtifactStore> | undefined;
  catalog?: Source<CatalogReader> | undefined;
  /** Works over `catalog`, so needs it. */
  query?: Source<QuerySource> | undefined;
  plans?: PlanSource | undefined;
  /** Works out tasks with the tools that read, as `orchestrate_compiled`; needs `artifacts`. */
  model?: Source<LanguageModel> | undefined;
  /** Tools of your own beside these. */
  tools?: readonly ServerTool[] | undefined;
  /** `estimatedCounter` where absent. */
  counter?: Source<TokenCounter> | undefined;
  /** Whose results are stored, such as a project: searches find those of their own session. `mcp` where absent. */
  owner?: string | undefined;
  /** As clients show it; `ccl` where absent. */
  name?: string | undefined;
  version?: string | undefined;
}

/** The parts that tools, resources and prompts share, each opened once. */
export interface ServerParts {
  project?: Opener<ProjectSource> | undefined;
  artifacts?: Opener<ArtifactStore> | undefined;
  catalog?: Opener<CatalogReader> | undefined;
  counter: Opener<TokenCounter>;
}

/** Makes a server for one connection or one request: what `serveStdio` and `createMcpHandler` of the official SDK take. */
export type McpServerFactory = (context: McpRequestContext) => Server;
