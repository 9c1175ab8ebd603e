import type { Part } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import type { ChatBranch, ChatStore } from "./chat-store.ts";
import type { StoredTurn } from "./chat-turn.ts";
import type { StoreCall } from "./store-call.ts";

/** Which turns of a branch. */
export interface TurnWindow extends StoreCall {
  /** Those before this user message only. */
  before?: string | undefined;
  /** The newest so many; default all. */
  limit?: number | undefined;
}

/** Which branches are listed. */
export interface ListBranchesOptions extends StoreCall {
  /** From the page before. */
  cursor?: string | undefined;
  /** 100 by default, up to 1,000. */
  limit?: number | undefined;
}

/** A page of branches. */
export interface BranchPage {
  branches: (ChatBranch & { turns: number })[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** What a person changes about a turn. A variant is one of the user's message or of its answers. */
export type TurnEdit = ChatBranch & { userMessageId: string; variantId: string } & (
    | { type: "select" }
    /** Another text for the variant; its blocks and tool calls are gone. */
    | { type: "edit"; content: string | Part[] }
  );

/** A chat that people look through and change, beside the runs that write to it. */
export interface ConversationStore extends ChatStore {
  /** Oldest first, with all variants. */
  turns(branch: ChatBranch, window?: TurnWindow): StoredTurn[] | Promise<StoredTurn[]>;
  /** All branches of all chats that have turns, in a fixed order. */
  branches(options?: ListBranchesOptions): Promise<BranchPage>;
  /** @throws OperationsError `unknown_turn` for a turn or variant that is not there */
  editTurn(edit: TurnEdit, options?: StoreCall): Promise<void>;
  /**
   * Deletes turns from one to another, both among them; `to` is the branch's last unless given. What their runs wrote to the
   * state goes with them, and in a database the runs too, so that no row holds the texts any more. Gives how many turns.
   * @throws OperationsError `unknown_turn`, `run_active` while a run works on the branch
   */
  deleteTurns(
    range: ChatBranch & { from: string; to?: string | undefined },
    options?: StoreCall,
  ): Promise<number>;
  /**
   * Adds turns at the end of a branch; those whose message is there already stay as they are. Answers bring along what their
   * runs wrote to the state where another branch of the chat has it; others leave the state as it is.
   */
  importTurns(
    turns: ChatBranch & { turns: readonly StoredTurn[] },
    options?: StoreCall,
  ): Promise<void>;
  /**
   * Copies a branch up to and with a turn to a new branch, with the state that its answers have.
   * @throws OperationsError `unknown_turn`, `version_conflict` where the new branch has turns
   */
  fork(
    from: ChatBranch & { userMessageId: string; newBranchId: string },
    options?: StoreCall,
  ): Promise<void>;
}

/** Changes a turn as a person asks. @throws OperationsError `unknown_turn` */
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

/** The error for a message that a branch does not have. */
export function unknownTurn(userMessageId: string): OperationsError {
  return new OperationsError(
    "unknown_turn",
    `There is no user message ${JSON.stringify(userMessageId)} in the branch.`,
  );
}

/** The error for a fork to a branch that is in use. */
export function takenBranch(branchId: string): OperationsError {
  const message = `The branch ${JSON.stringify(branchId)} has turns already; fork to a new one.`;
  return new OperationsError("version_conflict", message);
}
