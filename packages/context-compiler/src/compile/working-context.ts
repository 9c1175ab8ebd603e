import type { ChatMessage, ToolDescription } from "@ccl/core";
import type { FitTraceEntry } from "../fit/fit-trace.ts";
import type { SummaryRecord } from "../session/session-event.ts";
import type { MemoryHit } from "./memory-service.ts";

/** A message of the history and the events that it came from. */
export interface ContextEntry {
  readonly message: ChatMessage;
  readonly eventIds: readonly string[];
}

/** A payload that stands in the artifact store, in place of which the history shows a summary. */
export interface ArtifactRef {
  artifactId: string;
  handleId?: string | undefined;
  summary: string;
  sizeBytes: number;
  mimeType: string;
  source: string;
  /** The call whose answer it is. */
  callId?: string | undefined;
}

/** What one processor did. */
export interface CompileTraceEntry {
  processor: string;
  /** Of the whole prompt, by cached counts. */
  tokensBefore: number;
  tokensAfter: number;
  isWithinBudget: boolean;
  /** What was dropped or replaced, and why; indexes are into the history before this processor, which the system prompt leads. */
  changes: readonly FitTraceEntry[];
  /** What a person reading the trace should know, such as why a memory was left out. */
  remarks: readonly string[];
}

/** Writes a summary of messages that are dropped. May fail: their facts are kept instead. */
export type Summarize = (range: {
  messages: readonly ChatMessage[];
  /** An earlier summary of the first of the messages, to be carried on. */
  previous?: SummaryRecord | undefined;
  signal?: AbortSignal | undefined;
}) => Promise<string>;

/** The parts of a prompt that processors work on; a change makes a new context. */
export interface ContextParts {
  readonly systemPrompt: string;
  /** In the order in which they must be sent. */
  readonly tools: readonly ToolDescription[];
  readonly entries: readonly ContextEntry[];
  readonly memoryHits: readonly MemoryHit[];
  /** What holds for this call alone, such as the time or a delta. */
  readonly volatile: string;
  /** How dropped messages are summed up, where a processor brought a way. */
  readonly summarize?: Summarize | undefined;
}

/** What the selection of the history found out about the provider's cache. */
export interface CacheLayout {
  /** Tokens from the start that are the same as in the last prompt compiled for this session and budget. */
  readonly prefixStableTokens: number;
  /** The index of the first message of `toMessages()` that differs from that prompt, or is new. */
  readonly firstChangedMessage: number;
  /** At most 4 indexes into `toMessages()` after which a cache breakpoint pays, ascending. */
  readonly breakpoints: readonly number[];
}

/** A prompt while it is compiled, or compiled. */
export interface WorkingContext extends ContextParts, CacheLayout {
  /** The messages of `entries`. */
  readonly history: readonly ChatMessage[];
  /** Of the answers in the history that stand in the artifact store. */
  readonly artifactRefs: readonly ArtifactRef[];
  /** The tools' answers in the history. */
  readonly toolResults: readonly ChatMessage[];
  /** Of `toMessages()` and the tools, by the compiler's counter. */
  readonly tokenCount: number;
  /** What the prompt may take: the budget without the reserve. */
  readonly budget: number;
  readonly trace: readonly CompileTraceEntry[];
  isWithinBudget(): boolean;
  /** Tokens above the budget; 0 within it. */
  overflow(): number;
  /** What goes to the model. */
  toMessages(): ChatMessage[];
  /** A copy with other parts. `changes` and `remarks` go into the trace of the processor that returns it. */
  with(
    parts: Partial<ContextParts>,
    report?: {
      changes?: readonly FitTraceEntry[] | undefined;
      remarks?: readonly string[] | undefined;
      layout?: CacheLayout | undefined;
    },
  ): WorkingContext;
}
