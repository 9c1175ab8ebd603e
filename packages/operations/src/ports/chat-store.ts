import type { ChatMessage, ModelUsage, Part, ToolCall } from "@ccl/core";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import type { TurnEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { KeptState, KeptWrite, VariantState } from "./chat-state.ts";
import type { StoreCall } from "./store-call.ts";

/** A branch of a chat. */
export interface ChatBranch {
  chatId: string;
  branchId: string;
}

/** What a person has said, to begin a turn. */
export interface NewUserMessage extends ChatBranch {
  userMessageId: string;
  content: string | Part[];
}

/** A turn and what stands before it. */
export interface ChatTurn {
  userMessageId: string;
  /** The turn's place in its branch, from 1; it may leave out numbers of deleted turns. */
  position: number;
  /**
   * The selected texts up to and with the turn's user message, which is last and has its id; oldest first. Answers have
   * their tool calls; those that say nothing are left out.
   */
  history: ChatMessage[];
}

/** What one operation changes about a turn and writes to the state, together or not at all. */
export interface OperationTurnEffects {
  operationId: string;
  /** In the order of the operation. */
  effects: readonly TurnEffect[];
  /** Persisted, and the version that it has from then on. */
  write?: { value: ArtifactWrite; version: number } | undefined;
  /** True: where it can't be applied, nothing of the whole commit is. */
  isRequired: boolean;
}

/** What one hook of a run changes about its turn and writes to the state. */
export interface TurnCommit extends ChatBranch {
  runId: string;
  hook: Hook;
  userMessageId: string;
  /** The answer of this run; absent before the main call. Blocks and meta go to the selected variant of the turn. */
  assistantVariantId?: string | undefined;
  /** Of the run's lease; lower ones than the branch has seen are refused. */
  fencingToken: number;
  /** In commit order. */
  operations: readonly OperationTurnEffects[];
  /** Milliseconds since the epoch. */
  writtenAt: number;
  /** That of the run before this commit; absent without a profile. Its heads then name the run for what the commit writes. */
  state?: VariantState | undefined;
}

/** What became of the turn effects of one operation. */
export type TurnOutcome =
  | { operationId: string; status: "applied" }
  /** `message` is bounded and masked by the engine. */
  | { operationId: string; status: "failed"; message: string }
  /** Not applied, since a required operation of the commit failed. */
  | { operationId: string; status: "discarded" };

/** The main model's answer, to be kept as a variant of the turn and selected. */
export interface AssistantVariant extends ChatBranch {
  runId: string;
  userMessageId: string;
  assistantVariantId: string;
  text: string;
  /** True where an abort cut it off. */
  partial: boolean;
  toolCalls?: readonly ToolCall[] | undefined;
  /** Tool calls before the answer, with their results. */
  messages?: readonly ChatMessage[] | undefined;
  /** What the model thought before the answer. */
  reasoning?: string | undefined;
  usage?: ModelUsage | undefined;
  /** That of the run so far; absent without a profile. */
  state?: VariantState | undefined;
  fencingToken: number;
}

/**
 * The chat that a run belongs to. Every write may come twice, after a crash, and counts once: by `userMessageId`, by
 * `(runId, hook, operationId)`, by `assistantVariantId`. Variants of an operation get ids from these as well.
 */
export interface ChatStore {
  /** Adds a user message at the end of the branch; one that is there already stays as it is. */
  appendUserMessage(message: NewUserMessage, options?: StoreCall): Promise<void>;
  /**
   * The turn of that message, the branch's last turn without one; undefined where there is none. With `maxTurns` the history
   * holds the newest turns, so many or more, and begins at the same turn for a long time, so that providers' caches keep.
   */
  loadTurn(
    turn: ChatBranch & { userMessageId?: string | undefined; maxTurns?: number | undefined },
    options?: StoreCall,
  ): Promise<ChatTurn | undefined>;
  /**
   * Applies in order; gives an outcome for each operation, in the same order.
   * @throws OperationsError `stale_lease`
   */
  commitTurn(commit: TurnCommit, options?: StoreCall): Promise<TurnOutcome[]>;
  /** Keeps the variant and selects it. @throws OperationsError `stale_lease` */
  saveAssistantVariant(variant: AssistantVariant, options?: StoreCall): Promise<void>;
  /** What is kept of a session before a turn, without `before` of the whole branch. */
  keptState(
    at: ChatBranch & { session: string; before?: string | undefined },
    options?: StoreCall,
  ): Promise<KeptState>;
  /** What a run wrote to the state, in any order; nothing once its turn is deleted. */
  writesOf(runId: string, options?: StoreCall): Promise<KeptWrite[]>;
}
