import type { Part } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import type { ChatBranch, ChatStore, PageRequest, StoreCall, StoredTurn } from "./chat-store.ts";

/** Which turns of a branch to read. */
export interface TurnWindow extends StoreCall {
  /** Reads only turns before this user message. */
  before?: string | undefined;
  /** Reads only this many of the newest turns. Defaults to all. */
  limit?: number | undefined;
}

/** A page of branches. */
export interface BranchPage {
  branches: (ChatBranch & { turns: number })[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** A user's edit of a turn. The variant belongs to the user's message or to one of its answers. */
export type TurnEdit = ChatBranch & { userMessageId: string; variantId: string } & (
    | { type: "select" }
    /** Replaces the text of the variant and removes its blocks and tool calls. */
    | { type: "edit"; content: string | Part[] }
  );

/** A chat that users can browse and edit, in addition to the runs that write to it. */
export interface ConversationStore extends ChatStore {
  /** Returns turns with all variants, oldest first. */
  turns(branch: ChatBranch, window?: TurnWindow): Promise<StoredTurn[]>;
  /** Lists all branches with turns, across all chats, in a stable order. */
  branches(options?: PageRequest): Promise<BranchPage>;
  /** @throws OperationsError `unknown_turn` if the turn or variant does not exist */
  editTurn(edit: TurnEdit, options?: StoreCall): Promise<void>;
  /**
   * Deletes a range of turns, both ends included. `to` defaults to the branch's last turn. Also deletes what their runs
   * wrote to the state, and in a database the runs themselves, so that no row contains the texts. Returns the number of
   * deleted turns.
   * @throws OperationsError `unknown_turn`, `run_active` while a run is active on the branch
   */
  deleteTurns(
    range: ChatBranch & { from: string; to?: string | undefined },
    options?: StoreCall,
  ): Promise<number>;
  /**
   * Adds turns to the end of a branch. A turn whose message already exists stays as is. If another branch of the chat
   * has the state that an answer's run wrote, copies that state. Otherwise the state does not change.
   */
  importTurns(
    turns: ChatBranch & { turns: readonly StoredTurn[] },
    options?: StoreCall,
  ): Promise<void>;
  /**
   * Copies a branch up to and including a turn to a new branch, with the state of its answers.
   * @throws OperationsError `unknown_turn`, `conflict` if the new branch already has turns
   */
  fork(
    from: ChatBranch & { userMessageId: string; newBranchId: string },
    options?: StoreCall,
  ): Promise<void>;
}

/** Applies a user's edit to a turn. @throws OperationsError `unknown_turn` */
export function applyEdit(turn: StoredTurn, edit: TurnEdit): void {
  const { variantId } = edit;
  const user = turn.userVariants.findIndex((variant) => variant.variantId === variantId);
  const answer = turn.assistantVariants.findIndex((variant) => variant.variantId === variantId);
  if (user < 0 && answer < 0) {
    const message = `The turn ${JSON.stringify(turn.userMessageId)} has no variant ${JSON.stringify(variantId)}.`;
    throw new OperationsError("unknown_turn", message);
  }
  if (edit.type === "select") {
    if (user >= 0) turn.selectedUser = user;
    else turn.selectedAssistant = answer;
    return;
  }
  const { content } = edit;
  const [variants, at] = user >= 0 ? [turn.userVariants, user] : [turn.assistantVariants, answer];
  const { meta, state } = variants[at] ?? {};
  variants[at] = { variantId, content, meta, state };
}

/** Creates the error for a message that is not in the branch. */
export function unknownTurn(userMessageId: string): OperationsError {
  return new OperationsError(
    "unknown_turn",
    `There is no user message ${JSON.stringify(userMessageId)} in the branch.`,
  );
}

/** Creates the error for a fork to a branch that is already in use. */
export function takenBranch(branchId: string): OperationsError {
  const message = `The branch ${JSON.stringify(branchId)} already has turns; fork to a new one.`;
  return new OperationsError("conflict", message);
}
