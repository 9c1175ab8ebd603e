import type { ToolDescription } from "@ccl/core";

const uses: Readonly<Record<string, string>> = {
  search_artifact: "search_artifact finds lines and rows of them by words",
  read_artifact: "read_artifact reads lines and rows by their numbers",
};

/**
 * The system prompt, which also says how to get the rest of a result where the model has the tools for it. It says so from the
 * first prompt on: a sentence that came with the first cut would change the prefix that the provider keeps.
 */
export function withToolsHint(systemPrompt: string, tools: readonly ToolDescription[]): string {
  const known = Object.entries(uses).filter(([name]) => tools.some((tool) => tool.name === name));
  if (known.length === 0) return systemPrompt;
  const how = known.map(([, use]) => use).join(", ");
  const hint = `Results marked as shortened or stored are not whole: ${how}. Name them by the artifact id in the mark.`;
  return systemPrompt.trim() === "" ? hint : `${systemPrompt}\n\n${hint}`;
}
