import type { ChatMessage, ToolCall } from "@ccl/core";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import type { TurnEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { StoreCall } from "./store-call.ts";

/** A persisted write of an operation, stored with the turn of its run. */
export interface KeptWrite {
  runId: string;
  hook: Hook;
  operationId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  version: number;
  /** The write as the operation returned it. An appending write has only its own items. */
  write: ArtifactWrite;
}

/** The state with which an answer's run began, and what the run wrote. */
export interface VariantState {
  runId: string;
  /** See `sessionOf`. */
  session: string;
  /** By tag: the run whose write is the current value. */
  heads: Readonly<Record<string, string>>;
}

/** The stored state before a turn. */
export interface KeptState {
  /** Heads of the last turn before it whose shown answer has a state in the session. Empty if there is none. */
  heads: Readonly<Record<string, string>>;
  /**
   * Writes in the session by the runs of shown answers, oldest first. For each tag it holds the newest
   * 64 or more, and no fewer than twice what its retention keeps. For an appending tag it holds the newest 1,000.
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

/** A turn and the history before it. */
export interface ChatTurn {
  userMessageId: string;
  /** The turn's place in its branch, from 1. The numbers of deleted turns may be missing. */
  position: number;
  /**
   * The selected texts up to and including the turn's user message, oldest first. That message is last and has its id.
   * Answers include their tool calls. Empty answers are left out.
   */
  history: ChatMessage[];
}

/** The effects of one operation on a turn, and its write to the state. They are applied together or not at all. */
export interface OperationTurnEffects {
  operationId: string;
  /** In the order in which the operation returned them. */
  effects: readonly TurnEffect[];
  /** A persisted write, and the version that it creates. */
  write?: { value: ArtifactWrite; version: number } | undefined;
}

/** What one hook of a run changes about its turn, and writes to the state. */
export interface TurnCommit extends ChatBranch {
  runId: string;
  hook: Hook;
  userMessageId: string;
  /** In commit order. */
  operations: readonly OperationTurnEffects[];
  /** Milliseconds since the epoch. */
  writtenAt: number;
  /** State of the run before this commit. Absent without a profile. Heads of tags that are written move to the run. */
  state?: VariantState | undefined;
}

/** The main model's answer. It is stored as a variant of the turn and selected. */
export interface AssistantVariant extends ChatBranch {
  runId: string;
  userMessageId: string;
  assistantVariantId: string;
  text: string;
  /** True if an abort cut it off. */
  partial: boolean;
  toolCalls?: readonly ToolCall[] | undefined;
  /** Tool calls before the answer, with their results. */
  messages?: readonly ChatMessage[] | undefined;
  /** The model's reasoning before the answer. */
  reasoning?: string | undefined;
  /** State of the run so far. Absent without a profile. */
  state?: VariantState | undefined;
}

/** What a run reads of its chat. `RunStore` adds the run's message, its answer and what it commits. */
export interface ChatStore {
  /**
   * Loads the turn of that message, or the branch's last turn. Undefined if there is none. With `maxTurns` the history
   * holds that many of the newest turns, or more. It begins at the same turn for a long time, so that providers can
   * cache the prompt.
   */
  loadTurn(
    turn: ChatBranch & { userMessageId?: string | undefined; maxTurns?: number | undefined },
    options?: StoreCall,
  ): Promise<ChatTurn | undefined>;
  /** The stored state of a session before a turn. Without `before`, that of the whole branch. */
  keptState(
    at: ChatBranch & { session: string; before?: string | undefined },
    options?: StoreCall,
  ): Promise<KeptState>;
  /** What a run wrote to the state, in any order. Empty once its turn is deleted. */
  writesOf(runId: string, options?: StoreCall): Promise<KeptWrite[]>;
}
