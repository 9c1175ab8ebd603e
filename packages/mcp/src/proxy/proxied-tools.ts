import type { JsonRecord } from "@ccl/core/json";
import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";

import { toolError } from "../server/server-tool.ts";
import { forwardUp } from "./forward.ts";
import type { ResultShrinker } from "./shrink-result.ts";
import type { Upstream } from "./upstream.ts";

/** The context of a call through the proxy. */
export interface ProxiedCall {
  context: ServerContext;
  /** The shrinker of the client's session. */
  shrinker: ResultShrinker;
}

/** A tool of a server behind the proxy. */
export interface ProxiedTool {
  /** The tool as the proxy's client calls it. */
  tool: Tool;
  call(input: JsonRecord, call: ProxiedCall): Promise<CallToolResult>;
}

/** The key in a call's `_meta` with which a program requests the unchanged result. */
const wholeResult = "ccl.dev/whole";

/** The tools of all servers. */
export function proxiedTools(
  upstreams: readonly Upstream[],
  counts: { calls: Map<string, number> },
): ProxiedTool[] {
  return upstreams.flatMap((upstream) =>
    upstream.tools.map(({ tool, ownName }): ProxiedTool => ({
      tool,
      async call(input, { context, shrinker }) {
        counts.calls.set(upstream.name, (counts.calls.get(upstream.name) ?? 0) + 1);
        if (upstream.client === undefined)
          return toolError(
            `The server ${upstream.name} is unavailable: ${upstream.problem}. It is started again; try later.`,
          );
        const params = { name: ownName, arguments: input };
        const result = await forwardUp(upstream, { method: "tools/call", params }, context);
        const { signal, _meta: meta } = context.mcpReq;
        if (meta?.[wholeResult] === true) return result;
        return shrinker.shrink(result, { name: ownName, input, signal });
      },
    })),
  );
}
