import type { ChatBranch } from "../ports/chat-store.ts";
import type { StoredTurn } from "../ports/chat-turn.ts";
import { keyOf } from "./statement.ts";

/** The key of a branch. */
export const branchKeyOf = ({ chatId, branchId }: ChatBranch): string => keyOf(chatId, branchId);

/** A turn as stored, with the effects that were applied to it. */
export interface TurnRow extends StoredTurn {
  /** `runId/hook/operationId`. */
  applied: string[];
}
