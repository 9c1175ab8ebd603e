import { isRecord } from "@ccl/core/json";
import type { ServerContext, Tool } from "@modelcontextprotocol/server";

import { toolError } from "../server/server-tool.ts";
import { forwardUp } from "./forward.ts";
import type { ResultShrinker } from "./shrink-result.ts";
import type { ProxiedTool } from "./tool-list.ts";
import type { Upstream } from "./upstream.ts";

/** The tools of all servers: under their own names where there is one server, else as `server__tool`. */
export function proxiedTools(
  upstreams: readonly Upstream[],
  { shrinker, counts }: { shrinker: ResultShrinker; counts: { calls: Map<string, number> } },
): ProxiedTool[] {
  return upstreams.flatMap((upstream) =>
    upstream.tools.map((tool): ProxiedTool => ({
      tool: { ...tool, name: publicName(upstream, tool.name, upstreams) },
      async call(input, context) {
        counts.calls.set(upstream.name, (counts.calls.get(upstream.name) ?? 0) + 1);
        if (!isContext(context)) throw new TypeError("A call needs the context of its request.");
        if (upstream.client === undefined)
          return toolError(
            `The server ${upstream.name} is unavailable: ${upstream.problem}. It is started again; try later.`,
          );
        const params = { name: tool.name, arguments: input };
        const result = await forwardUp(upstream, { method: "tools/call", params }, context);
        return shrinker.shrink(result, { name: tool.name, input, signal: context.mcpReq.signal });
      },
    })),
  );
}

/** As the client sees a tool or a prompt of a server. */
export function publicName(
  { name }: Pick<Upstream, "name">,
  own: Tool["name"],
  upstreams: readonly Upstream[],
): string {
  return upstreams.length === 1 ? own : `${name}__${own}`;
}

function isContext(context: unknown): context is ServerContext {
  return isRecord(context) && isRecord(context["mcpReq"]);
}
