import type { ChatMessage, ToolCall } from "@ccl/core";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import type { TurnEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { StoreCall } from "./store-call.ts";

/** An operation's persisted write, stored with the turn of its run. */
export interface KeptWrite {
  runId: string;
  hook: Hook;
  operationId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  version: number;
  /** The write as the operation returned it. An appending write contains only its own items. */
  write: ArtifactWrite;
}

/** The state at the start of an answer's run, and what the run wrote. */
export interface VariantState {
  runId: string;
  /** See `sessionOf`. */
  session: string;
  /** Maps each tag to the run whose write is the current value. */
  heads: Readonly<Record<string, string>>;
}

/** The stored state before a turn. */
export interface KeptState {
  /** Heads of the last earlier turn whose displayed answer has a state in the session. Empty if there is none. */
  heads: Readonly<Record<string, string>>;
  /**
   * Writes in the session by runs of displayed answers, oldest first. For each tag it contains the newest 64 or more,
   * and no fewer than twice what its retention keeps. For an appending tag it contains the newest 1,000.
   */
  shown: readonly KeptWrite[];
  /** Other writes that `heads` refers to. Those of deleted turns are missing. */
  hidden: readonly KeptWrite[];
}

/** A branch of a chat. */
export interface ChatBranch {
  chatId: string;
  branchId: string;
}

/** A turn and the history up to it. */
export interface ChatTurn {
  userMessageId: string;
  /** The turn's position in its branch, from 1. Deleted turns may leave gaps. */
  position: number;
  /**
   * The selected texts up to and including the turn's user message, oldest first. That message comes last and has its
   * id. Answers include their tool calls. Empty answers are omitted.
   */
  history: ChatMessage[];
}

/** Effects of one operation on a turn, and its write to the state. Applied together or not at all. */
export interface OperationTurnEffects {
  operationId: string;
  /** In the order that the operation returned them. */
  effects: readonly TurnEffect[];
  /** A persisted write, and the version that it creates. */
  write?: { value: ArtifactWrite; version: number } | undefined;
}

/** What one hook of a run changes in its turn and writes to the state. */
export interface TurnCommit extends ChatBranch {
  runId: string;
  hook: Hook;
  userMessageId: string;
  /** In commit order. */
  operations: readonly OperationTurnEffects[];
  /** Milliseconds since the epoch. */
  writtenAt: number;
  /** State of the run before this commit. Absent without a profile. Heads of the tags written move to this run. */
  state?: VariantState | undefined;
}

/** The main model's answer. Stored as a variant of the turn and selected. */
export interface AssistantVariant extends ChatBranch {
  runId: string;
  userMessageId: string;
  assistantVariantId: string;
  text: string;
  /** True if an abort cut the answer short. */
  partial: boolean;
  toolCalls?: readonly ToolCall[] | undefined;
  /** Tool calls before the answer, and their results. */
  messages?: readonly ChatMessage[] | undefined;
  /** The model's reasoning before the answer. */
  reasoning?: string | undefined;
  /** State of the run so far. Absent without a profile. */
  state?: VariantState | undefined;
}

/** What a run reads from its chat. `RunStore` adds the run's message, its answer and what it commits. */
export interface ChatStore {
  /**
   * Loads the turn of that message, or the branch's last turn. Returns undefined if there is none. With `maxTurns` the
   * history contains that many of the newest turns, or more. Its start rarely moves, so that providers can cache the
   * prompt.
   */
  loadTurn(
    turn: ChatBranch & { userMessageId?: string | undefined; maxTurns?: number | undefined },
    options?: StoreCall,
  ): Promise<ChatTurn | undefined>;
  /** Returns the stored state of a session before a turn. Without `before`, returns that of the whole branch. */
  keptState(
    at: ChatBranch & { session: string; before?: string | undefined },
    options?: StoreCall,
  ): Promise<KeptState>;
  /** Returns what a run wrote to the state, in any order. Empty once its turn is deleted. */
  writesOf(runId: string, options?: StoreCall): Promise<KeptWrite[]>;
}
