import type { ChatBranch } from "../ports/chat-store.ts";
import type { StoredTurn } from "../ports/chat-turn.ts";
import { keyOf } from "./statement.ts";

/** What a branch is known by. */
export const branchKeyOf = ({ chatId, branchId }: ChatBranch): string => keyOf(chatId, branchId);

/** A turn as stored, with what was applied to it. */
export interface TurnRow extends StoredTurn {
  /** `runId/hook/operationId`. */
  applied: string[];
}
