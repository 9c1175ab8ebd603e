import type { ToolDescription } from "@ccl/core";

const uses: Readonly<Record<string, string>> = {
  search_artifact: "search_artifact finds lines and rows of them by words",
  read_artifact: "read_artifact reads lines and rows by their numbers",
};

/**
 * Adds a sentence to the system prompt on how to get the rest of a result, if the model has the
 * tools for it. The first prompt already contains it, since adding it at the first cut would change
 * the prefix that the provider caches.
 */
export function withToolsHint(systemPrompt: string, tools: readonly ToolDescription[]): string {
  const known = Object.entries(uses).filter(([name]) => tools.some((tool) => tool.name === name));
  if (known.length === 0) return systemPrompt;
  const how = known.map(([, use]) => use).join(", ");
  const hint = `Results marked as shortened or stored are not whole: ${how}. Name them by the artifact id in the mark.`;
  return systemPrompt.trim() === "" ? hint : `${systemPrompt}\n\n${hint}`;
}
