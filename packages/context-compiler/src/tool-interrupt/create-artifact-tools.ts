import type { ArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter, type Part, type TokenCounter, type ToolDefinition } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";
import type { ArtifactSource } from "./artifact-source.ts";
import { readArtifactTool, type ReadArtifactInput } from "./read-artifact-tool.ts";
import { searchArtifactTool, type SearchArtifactInput } from "./search-artifact-tool.ts";

/** Where the tools search for artifacts. */
interface ArtifactToolsOptions {
  /** The session's own store by default. */
  store?: ArtifactStore | undefined;
  /** Limits searches to this session's artifacts. By default, the whole store is searched. */
  session?: Session | undefined;
  /** `estimatedCounter` by default. */
  counter?: TokenCounter | undefined;
}

/** The tools `search_artifact` and `read_artifact`. */
export type ArtifactTools = [
  ToolDefinition<SearchArtifactInput, string>,
  ToolDefinition<ReadArtifactInput, string | { content: Part[] }>,
];

const readers = new WeakSet<object>();

/** True for a tool created by `createArtifactTools`. */
export function isArtifactReader(tool: object): boolean {
  return readers.has(tool);
}

/**
 * Creates the tools that let a model retrieve stored results. They search by words or a regular
 * expression, and read by lines or bytes. Answers have 400 tokens unless the model requests more.
 * Answers are never stored again.
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
