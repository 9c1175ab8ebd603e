import {
  fromMcpTools,
  type FromMcpToolsOptions,
  type McpToolSource,
} from "../importers/from-mcp-tools.ts";
import {
  fromTools,
  type FromToolsOptions,
  type SkillDeclaration,
} from "../importers/from-tools.ts";
import { resourceUri } from "../importers/resource-address.ts";
import { importProbe } from "./import-probe.ts";
import type { ResourceProbe } from "./resource-probe.ts";

/** Holds skills against the tools that there are, by uris such as `ada://any/skill/daily_revenue`. */
export function skillProbe(
  tools: readonly SkillDeclaration[],
  options: Pick<FromToolsOptions, "group"> = {},
): ResourceProbe {
  const uri =
    options.group === undefined ? resourceUri("skill") : resourceUri("skill", options.group);
  const load = async (): Promise<ReturnType<typeof fromTools>> => fromTools(tools, options);
  return importProbe({ name: "skills", uriPrefix: `${uri}/`, load, knows: ["nn"] });
}

/** Holds resources against the tools of an MCP server, by uris such as `ada://any/mcp/files/read_file`. */
export function mcpProbe(
  source: McpToolSource,
  options: Pick<FromMcpToolsOptions, "server" | "timeoutMs">,
): ResourceProbe {
  return importProbe({
    name: `mcp:${options.server}`,
    uriPrefix: `${resourceUri("mcp", options.server)}/`,
    load: ({ signal }) => fromMcpTools(source, { ...options, signal }),
    knows: ["nn"],
  });
}
