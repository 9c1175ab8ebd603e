import type { ArtifactStore } from "@ccl/artifact-store";
import type { Part, TokenCounter } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import { type ServerTool, toolError } from "./server-tool.ts";
import { openOnce, type Opener } from "./source.ts";

const range = {
  type: "object",
  properties: { start: { type: "integer" }, end: { type: "integer" } },
};
const handle = { type: "string" };
const maxTokens = { type: "integer" };

/** `search_artifact` and `read_artifact` over all that a store holds. */
export function artifactTools(
  open: Opener<ArtifactStore>,
  counter: Opener<TokenCounter>,
): ServerTool[] {
  const openTools = openOnce(async () => {
    const { createArtifactTools } = await import("@ccl/context-compiler");
    return createArtifactTools({ store: await open(), counter: await counter() });
  });
  return [
    {
      name: "search_artifact",
      description: "Finds lines or rows in stored results by words or an RE2 regex.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", minLength: 1 },
          handle,
          regex: { type: "boolean" },
          around: { type: "integer" },
          maxTokens,
        },
        required: ["query"],
      },
      annotations: { readOnlyHint: true },
      run: async (input, { signal }) => {
        const [search] = await openTools();
        const query = String(input["query"]);
        return textResult(await search.execute({ ...input, query }, { signal }));
      },
    },
    {
      name: "read_artifact",
      description: "Reads lines or rows (from 1) of a stored result.",
      inputSchema: {
        type: "object",
        properties: { handle, lines: range, rows: range, maxTokens },
        required: ["handle"],
      },
      annotations: { readOnlyHint: true },
      run: async (input, { signal }) => {
        const [, read] = await openTools();
        const answer = await read.execute(
          { ...input, handle: String(input["handle"]) },
          { signal },
        );
        return typeof answer === "string" ? textResult(answer) : contentResult(answer.content);
      },
    },
  ];
}

/** What the tools refuse stands in brackets and says why. */
function textResult(text: string): string | CallToolResult {
  return /^\[(?:artifact .{0,90}can't be read|the regular expression)/.test(text)
    ? toolError(text)
    : text;
}

function contentResult(parts: readonly Part[]): CallToolResult {
  const content = parts.flatMap((part): ContentBlock[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "image" || !(part.data instanceof Uint8Array)) return [];
    return [{ type: "image", mimeType: part.mimeType, data: toBase64(part.data) }];
  });
  return { content };
}
