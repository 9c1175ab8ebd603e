import type { ModelRequest } from "@ccl/core";

/** What a request asks of its tools. Without tools `auto` and `none` ask for nothing, and APIs refuse the field. */
export function askedTools({
  tools = [],
  toolChoice,
}: ModelRequest): Pick<ModelRequest, "tools" | "toolChoice"> {
  if (tools.length > 0) return { tools, toolChoice };
  return toolChoice === "auto" || toolChoice === "none" ? {} : { toolChoice };
}
