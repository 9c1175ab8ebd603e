import type { ArtifactStore } from "@ccl/artifact-store";
import type { Part, TokenCounter } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import { readingTool, type ServerTool, toolError } from "./server-tool.ts";
import type { Opener } from "./source.ts";

const range = {
  type: "object",
  properties: { start: { type: "integer" }, end: { type: "integer" } },
};
const handle = { type: "string" };
const maxTokens = { type: "integer" };

/** Creates `search_artifact` and `read_artifact` for a whole store. */
export function artifactTools(
  open: Opener<ArtifactStore>,
  counter: Opener<TokenCounter>,
): ServerTool[] {
  const openTools = async (sessionId?: string) => {
    const { createArtifactTools } = await import("@ccl/context-compiler");
    const store = await open();
    const scoped = sessionId === undefined ? store : ofSession(store, sessionId);
    return createArtifactTools({ store: scoped, counter: await counter() });
  };
  return [
    readingTool(
      {
        name: "search_artifact",
        title: "Search stored results",
        description: "Finds lines or rows in stored results by words or an RE2 regex.",
        properties: {
          query: { type: "string", minLength: 1 },
          handle,
          regex: { type: "boolean" },
          around: { type: "integer" },
          maxTokens,
          all: { type: "boolean", description: "of other sessions too" },
        },
        required: ["query"],
      },
      async ({ all, ...input }, { signal, sessionId }) => {
        // A client that passes a handle has already seen it, so the search may use it.
        const isWide = all === true || input["handle"] !== undefined;
        const page = await (await open()).listHandles({ sessionId, limit: 1, signal });
        if (!isWide && (page.damaged ?? page.handles).length === 0)
          return "[nothing is stored in this session; all: true searches what others stored]";
        const [search] = await openTools(isWide ? undefined : sessionId);
        return textResult(
          await search.execute({ ...input, query: String(input["query"]) }, { signal }),
        );
      },
    ),
    readingTool(
      {
        name: "read_artifact",
        title: "Read a stored result",
        description: "Reads lines or rows (from 1) of a stored result.",
        properties: { handle, lines: range, rows: range, maxTokens },
        required: ["handle"],
      },
      async (input, { signal }) => {
        const [, read] = await openTools();
        const given = String(input["handle"]);
        const answer = await read.execute({ ...input, handle: given }, { signal });
        return typeof answer === "string" ? textResult(answer) : contentResult(answer.content);
      },
    ),
  ];
}

/** Restricts listings to one session's artifacts. */
function ofSession(store: ArtifactStore, sessionId: string): ArtifactStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === "listHandles")
        return (options: object) => target.listHandles({ ...options, sessionId });
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Converts an answer to a result. A refusal is in brackets and gives the reason. */
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
