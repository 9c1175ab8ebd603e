import type { ArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter, type Part, type TokenCounter, type ToolDefinition } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";
import type { ArtifactSource } from "./artifact-source.ts";
import { readArtifactTool, type ReadArtifactInput } from "./read-artifact-tool.ts";
import { searchArtifactTool, type SearchArtifactInput } from "./search-artifact-tool.ts";

/** Where the tools look. */
export interface ArtifactToolsOptions {
  /** The session's own store where absent. */
  store?: ArtifactStore | undefined;
  /** Only its artifacts can be found; those of the whole store where absent. */
  session?: Session | undefined;
  /** `estimatedCounter` where absent. */
  counter?: TokenCounter | undefined;
}

/** `search_artifact` and `read_artifact`. */
export type ArtifactTools = [
  ToolDefinition<SearchArtifactInput, string>,
  ToolDefinition<ReadArtifactInput, string | { content: Part[] }>,
];

const readers = new WeakSet<object>();

/** True for a tool of `createArtifactTools`. */
export function isArtifactReader(tool: object): boolean {
  return readers.has(tool);
}

/**
 * The tools by which a model gets back what was stored: by words or a regular expression, and by lines or bytes, in answers of
 * 400 tokens where it asks for no more. What they answer is never stored again.
 * @throws ContextCompilerError `invalid_options` without any store
 */
export function createArtifactTools({
  session,
  store = session?.artifactStore,
  counter = estimatedCounter,
}: ArtifactToolsOptions): ArtifactTools {
  if (store === undefined)
    throw new ContextCompilerError("invalid_options", "There is no artifact store; pass `store`.");
  const source: ArtifactSource = { store, session, counter };
  const tools: ArtifactTools = [searchArtifactTool(source), readArtifactTool(source)];
  for (const tool of tools) readers.add(tool);
  return tools;
}
