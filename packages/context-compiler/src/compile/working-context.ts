import type { ChatMessage, ToolDescription } from "@ccl/core";
import type { FitTraceEntry } from "../fit/fit-trace.ts";
import type { SummaryRecord } from "../event/session-event.ts";
import type { MemoryHit } from "./memory-service.ts";

/** A message in the history, with its source events. */
export interface ContextEntry {
  readonly message: ChatMessage;
  readonly eventIds: readonly string[];
}

/** A payload in the artifact store, shown as a summary in the history. */
export interface ArtifactRef {
  artifactId: string;
  handleId?: string | undefined;
  summary: string;
  sizeBytes: number;
  mimeType: string;
  source: string;
  /** Id of the call that returned it. */
  callId?: string | undefined;
}

/** What a processor did. */
export interface CompileTraceEntry {
  processor: string;
  /** Tokens of the whole prompt, from cached counts. */
  tokensBefore: number;
  tokensAfter: number;
  isWithinBudget: boolean;
  /**
   * What was dropped or replaced, and why. Indexes refer to the history before this processor, with the system prompt
   * first.
   */
  changes: readonly FitTraceEntry[];
  /** Remarks for readers of the trace, such as why a memory was left out. */
  remarks: readonly string[];
}

/** Writes a summary of dropped messages. If it fails, their facts are kept instead. */
export type Summarize = (range: {
  messages: readonly ChatMessage[];
  /** An earlier summary of the first messages, to be continued. */
  previous?: SummaryRecord | undefined;
  signal?: AbortSignal | undefined;
}) => Promise<string>;

/** The parts of a prompt that processors work on. Changing a part creates a new context. */
export interface ContextParts {
  readonly systemPrompt: string;
  /** Tools, in the order in which the provider gets them. */
  readonly tools: readonly ToolDescription[];
  readonly entries: readonly ContextEntry[];
  readonly memoryHits: readonly MemoryHit[];
  /** Content for this call only, such as the time or a delta. */
  readonly volatile: string;
  /** Summarizes dropped messages, if a processor set it. */
  readonly summarize?: Summarize | undefined;
}

/** What the history selection found out about the provider's cache. */
export interface CacheLayout {
  /** Tokens at the start that are equal to the last prompt compiled for this session and budget. */
  readonly prefixStableTokens: number;
  /** Index of the first message of `toMessages()` that is new or differs from that prompt. */
  readonly firstChangedMessage: number;
  /** Up to 4 indexes into `toMessages()` after which a cache breakpoint pays off, ascending. */
  readonly breakpoints: readonly number[];
}

/** A prompt during or after its compile. */
export interface WorkingContext extends ContextParts, CacheLayout {
  /** The messages of `entries`. */
  readonly history: readonly ChatMessage[];
  /** The results in the history that are stored as artifacts. */
  readonly artifactRefs: readonly ArtifactRef[];
  /** The tool results in the history. */
  readonly toolResults: readonly ChatMessage[];
  /** Tokens of `toMessages()` and the tools, counted by the compiler's counter. */
  readonly tokenCount: number;
  /** The prompt's token limit: the budget minus the reserve. */
  readonly budget: number;
  readonly trace: readonly CompileTraceEntry[];
  isWithinBudget(): boolean;
  /** Returns how many tokens exceed the budget. 0 if the prompt fits. */
  overflow(): number;
  /** Returns the messages for the model. */
  toMessages(): ChatMessage[];
  /** Returns a copy with other parts. Adds `changes` and `remarks` to the trace of the processor that returns it. */
  with(
    parts: Partial<ContextParts>,
    report?: {
      changes?: readonly FitTraceEntry[] | undefined;
      remarks?: readonly string[] | undefined;
      layout?: CacheLayout | undefined;
    },
  ): WorkingContext;
}
