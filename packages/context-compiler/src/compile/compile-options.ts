import type { ArtifactStore } from "@ccl/artifact-store";
import type { TokenCounter, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";
import type { MemoryService } from "./memory-service.ts";
import type { ContextProcessor } from "./context-processor.ts";
import type { Summarize } from "./working-context.ts";
import type { CutOptions, PinRule } from "../fit/fit-options.ts";

/** Options of one compile. */
export interface CompileOptions {
  /** Token limit of the whole prompt, tools included. There is no default. */
  budget: number;
  /**
   * Content that is the same in every call: instructions, pinned memory, a pack of the project. If
   * `search_artifact` and `read_artifact` are among the tools, a sentence about them is added.
   */
  systemPrompt: string;
  tools?: readonly ToolDescription[] | undefined;
  /** Tokens of the budget to reserve for the model's answer. */
  reserve?: number | undefined;
  /** Content for this call only, such as the time or a delta. It comes last in the prompt. */
  volatile?: string | undefined;
  /** True if the provider no longer has the last prompt in its cache. See `fitMessages`. */
  isCacheCold?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The processors and services of a compiler, and how it cuts. */
export interface ContextCompilerOptions extends CutOptions {
  /** By default `artifactAttacher`, `compactor`, `memoryPreloader` and `historySelector`, in this order. */
  processors?: readonly ContextProcessor[] | undefined;
  /** Core's estimate by default. With an estimate, a tenth of the budget is held back. */
  counter?: TokenCounter | undefined;
  /** Stores results that are in the log in full. The session's own store by default. */
  artifactStore?: ArtifactStore | undefined;
  memory?: MemoryService | undefined;
  /**
   * Writes a summary that replaces the facts of dropped messages, e.g. `createSummarizer({ model
   * })`. The log stores it.
   */
  summarize?: Summarize | undefined;
  /**
   * Receives a record of what happened to each message, e.g. `recordTo(folder)` of @ccl/inspector.
   * Custom processors pass it to `historySelector`.
   */
  record?: ContextRecorder | undefined;
  /**
   * Content that is never dropped: messages of `session.messages()`, ranges of indexes into it, or
   * a function that decides.
   */
  pin?: PinRule | undefined;
}
