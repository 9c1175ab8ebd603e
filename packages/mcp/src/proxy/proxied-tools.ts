import type { JsonRecord } from "@ccl/core/json";
import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";

import { toolError } from "../server/server-tool.ts";
import { forwardUp, unavailableText } from "./forward.ts";
import { serverPrefix } from "./public-names.ts";
import type { ResultShrinker } from "./shrink-result.ts";
import type { ToolUses } from "./tool-uses.ts";
import type { Upstream } from "./upstream.ts";

/** The context of a call through the proxy. */
export interface ProxiedCall {
  context: ServerContext;
  /** The result shrinker of the client's session. */
  shrinker: ResultShrinker;
}

/** A tool of a server behind the proxy. */
export interface ProxiedTool {
  /** The tool as the proxy's client sees it. */
  tool: Tool;
  /** Returns how often it was called successfully. */
  uses(): number;
  call(input: JsonRecord, call: ProxiedCall): Promise<CallToolResult>;
}

/** The key in a call's `_meta` by which a program requests the unmodified result. */
const wholeResult = "ccl.dev/whole";

/** Returns the tools of all servers. */
export function proxiedTools(
  upstreams: readonly Upstream[],
  calls: Map<string, number>,
  uses: ToolUses | undefined,
): ProxiedTool[] {
  return upstreams.flatMap((upstream) =>
    upstream.tools.map(({ tool, ownName }): ProxiedTool => {
      // The key is the same even if the server is alone. For that case, earlier versions used the tool's own name.
      const key = `${serverPrefix(upstream.name)}__${ownName}`;
      return {
        tool,
        uses: () => (uses?.counts.get(key) ?? 0) + (uses?.counts.get(ownName) ?? 0),
        async call(input, { context, shrinker }) {
          calls.set(upstream.name, (calls.get(upstream.name) ?? 0) + 1);
          if (upstream.client === undefined) return toolError(unavailableText(upstream));
          const params = { name: ownName, arguments: input };
          const result = await forwardUp(upstream, { method: "tools/call", params }, context);
          if (result.isError !== true) uses?.add(key);
          const { signal, _meta: meta } = context.mcpReq;
          if (meta?.[wholeResult] === true) return result;
          return shrinker.shrink(result, { name: ownName, input, signal });
        },
      };
    }),
  );
}
