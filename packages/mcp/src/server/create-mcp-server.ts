import { estimatedCounter } from "@ccl/core";
import { INVALID_PARAMS, ProtocolError, Server } from "@modelcontextprotocol/server";

import { artifactTools } from "./artifact-tools.ts";
import { catalogTools } from "./catalog-tools.ts";
import type { McpServerFactory, McpServerOptions, ServerParts } from "./mcp-server-options.ts";
import { planTools } from "./plan-tools.ts";
import { projectTools } from "./project-tools.ts";
import { queryTools } from "./query-tools.ts";
import { addPrompts } from "./server-prompts.ts";
import { addResources } from "./server-resources.ts";
import type { OrchestrateOptions } from "./run-orchestrate.ts";
import {
  capabilitiesOf,
  listedTool,
  readingTool,
  runTool,
  type ServerTool,
  type ServerToolCall,
} from "./server-tool.ts";
import { createSessionIds } from "./session-ids.ts";
import { openOnce } from "./source.ts";

const instructions =
  "Call pack first with the task. Answers are cut to a budget; what is left out has an alias, a path or an artifact id, and get_alias, search_artifact and read_artifact give it.";

/**
 * Creates a server for a project, its catalog, its artifacts and its plans. The server writes nothing unless
 * `plans.allowApply` is set and the client's user accepts each plan.
 */
export function createMcpServer(options: McpServerOptions): McpServerFactory {
  const { project, artifacts, catalog, counter = estimatedCounter } = options;
  const parts: ServerParts = {
    project: project && openOnce(project),
    artifacts: artifacts && openOnce(artifacts),
    catalog: catalog && openOnce(catalog),
    counter: openOnce(counter),
  };
  const tools = toolsOf(options, parts);
  const sessionIdOf = createSessionIds(options.owner);
  return (request) => {
    const sessionId = sessionIdOf(request);
    const server = new Server(
      { name: "ccl", version: "1.0.0" },
      {
        capabilities: { tools: {}, resources: {}, prompts: {} },
        instructions,
      },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: tools.map(listedTool),
    }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined)
        throw new ProtocolError(
          INVALID_PARAMS,
          `Unknown tool ${JSON.stringify(params.name.slice(0, 80))}. Known tools: ${tools.map(({ name }) => name).join(", ")}.`,
        );
      return runTool(tool, params.arguments ?? {}, callOf(server, { context, sessionId }));
    });
    addResources(server, parts, sessionId);
    addPrompts(server, parts);
    return server;
  };
}

/** Returns the tools for these options, in list order. */
function toolsOf(
  { query, plans, model, tools = [] }: McpServerOptions,
  { project, artifacts, catalog, counter }: ServerParts,
): ServerTool[] {
  const reading = [
    ...(project ? projectTools(project, counter) : []),
    ...(catalog ? catalogTools(catalog, counter) : []),
    ...(catalog && query
      ? queryTools(openOnce(query), { catalog, counter, store: artifacts })
      : []),
  ];
  return [
    ...reading,
    ...(artifacts ? artifactTools(artifacts, counter) : []),
    ...(artifacts && model
      ? [orchestrateTool({ model: openOnce(model), tools: reading, store: artifacts, counter })]
      : []),
    ...(plans ? planTools(plans, counter) : []),
    ...tools,
  ];
}

/** Creates a tool in which another model reads. The client gets its answer and handles. */
function orchestrateTool(options: OrchestrateOptions): ServerTool {
  return readingTool(
    {
      name: "orchestrate_compiled",
      title: "Have a task worked out",
      description: "Lets another model work out a task with these tools.",
      properties: { task: { type: "string" } },
      required: ["task"],
    },
    async (input, call) => (await import("./run-orchestrate.ts")).orchestrate(input, call, options),
  );
}

function callOf(
  server: Server,
  { context, sessionId }: Pick<ServerToolCall, "context" | "sessionId">,
): ServerToolCall {
  const { signal, _meta: meta } = context.mcpReq;
  const progressToken = meta?.progressToken;
  return {
    signal,
    context,
    sessionId,
    canAsk: capabilitiesOf(server, context).elicitation !== undefined,
    progress(progress, total, message) {
      if (progressToken === undefined || signal.aborted) return;
      const params = { progressToken, progress, total, message };
      // The work continues if the client disconnects, but stops if the client aborts it.
      void context.mcpReq
        .notify({ method: "notifications/progress", params })
        .catch(() => undefined);
    },
  };
}
