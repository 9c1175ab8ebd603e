import type { ArtifactStore } from "@ccl/artifact-store";
import type { TokenCounter, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";
import type { MemoryService } from "./memory-service.ts";
import type { ContextProcessor } from "./context-processor.ts";
import type { Summarize } from "./working-context.ts";
import type { CutOptions, PinRule } from "../fit/fit-options.ts";

/** What one compile is asked for. */
export interface CompileOptions {
  /** Tokens of the whole prompt, tools included. There is no default: choose it. */
  budget: number;
  /**
   * What is the same at every call: instructions, pinned memory, a pack of the project. A sentence on `search_artifact` and
   * `read_artifact` is added where they are among the tools.
   */
  systemPrompt: string;
  tools?: readonly ToolDescription[] | undefined;
  /** Of the budget, kept for the model's answer. */
  reserve?: number | undefined;
  /** What holds for this call alone, such as the time or a delta; stands last. */
  volatile?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** How a compiler works. */
export interface ContextCompilerOptions extends CutOptions {
  /** By default `artifactAttacher`, `compactor`, `memoryPreloader` and `historySelector`, in this order. */
  processors?: readonly ContextProcessor[] | undefined;
  /** Core's estimate by default; under one that is not exact a tenth of the budget is kept back. */
  counter?: TokenCounter | undefined;
  /** For answers that stand in the log in full; the session's own store by default. */
  artifactStore?: ArtifactStore | undefined;
  memory?: MemoryService | undefined;
  /** Writes a summary in place of the facts of what is dropped, such as `createSummarizer({ model })`; kept in the log. */
  summarize?: Summarize | undefined;
  /** Is given what became of each message, such as `recordTo(folder)` of @ccl/inspector; own processors hand it to `historySelector`. */
  record?: ContextRecorder | undefined;
  /** What is never dropped: messages of `session.messages()`, ranges of indexes into it, or whatever a function says. */
  pin?: PinRule | undefined;
}
