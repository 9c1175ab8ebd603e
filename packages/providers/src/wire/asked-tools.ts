import type { ModelRequest } from "@ccl/core";

/**
 * Returns the tools and the tool choice of a request. Without tools, omits `auto` and `none`, since APIs reject them.
 */
export function askedTools({
  tools = [],
  toolChoice,
}: ModelRequest): Pick<ModelRequest, "tools" | "toolChoice"> {
  if (tools.length > 0) return { tools, toolChoice };
  return toolChoice === "auto" || toolChoice === "none" ? {} : { toolChoice };
}
