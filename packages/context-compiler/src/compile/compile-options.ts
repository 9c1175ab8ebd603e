import type { ArtifactStore } from "@ccl/artifact-store";
import type { TokenCounter, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";
import type { MemoryService } from "./memory-service.ts";
import type { ContextProcessor } from "./context-processor.ts";
import type { Summarize } from "./working-context.ts";
import type { CutOptions, PinRule } from "../fit/fit-options.ts";

/** Options for one compile. */
export interface CompileOptions {
  /** Token limit for the whole prompt, including tools. There is no default. */
  budget: number;
  /**
   * Content that stays the same in every call: instructions, pinned memory, a pack of the project. If the tools include
   * `search_artifact` and `read_artifact`, a sentence about them is added.
   */
  systemPrompt: string;
  tools?: readonly ToolDescription[] | undefined;
  /** Tokens to reserve for the model's answer. They count against the budget. */
  reserve?: number | undefined;
  /** Content for this call only, such as the time or a delta. Placed last in the prompt. */
  volatile?: string | undefined;
  /** True if the last prompt is no longer in the provider's cache. See `fitMessages`. */
  isCacheCold?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A compiler's processors and services, and how it cuts. */
export interface ContextCompilerOptions extends CutOptions {
  /** `artifactAttacher`, `compactor`, `memoryPreloader` and `historySelector` by default, in this order. */
  processors?: readonly ContextProcessor[] | undefined;
  /** Core's estimate by default. With an estimate, a tenth of the budget is held back. */
  counter?: TokenCounter | undefined;
  /** Stores results that the log holds in full. The session's own store by default. */
  artifactStore?: ArtifactStore | undefined;
  memory?: MemoryService | undefined;
  /**
   * Writes a summary that replaces the facts of dropped messages, e.g. `createSummarizer({ model
   * })`. The log stores it.
   */
  summarize?: Summarize | undefined;
  /**
   * Receives a record of what happened to each message, e.g. `recordTo(folder)` of @ccl/inspector.
   * Custom processors must pass it to `historySelector`.
   */
  record?: ContextRecorder | undefined;
  /**
   * Content that must never be dropped: messages of `session.messages()`, ranges of indexes into it, or a function that
   * decides.
   */
  pin?: PinRule | undefined;
}
