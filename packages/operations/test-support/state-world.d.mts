import type { ConversationStore } from "../src/ports/conversation-store.ts";

/** A turn that is answered, or whose model fails. */
export interface SaidTurn {
  chatId: string;
  branchId: string;
  trigger: "generate" | "regenerate";
  message?: string | undefined;
  userMessageId: string;
  clientRequestId: string;
  answer: string;
  fails: boolean;
}

/** How its main call ended. */
export interface SaidEnd {
  status?: string | undefined;
  variantId?: string | undefined;
}

export type ChangedChat = Pick<
  ConversationStore,
  "turns" | "editTurn" | "deleteTurns" | "importTurns" | "fork"
>;

/** Where a script is carried out. */
export interface StateWorld {
  chat: ChangedChat;
  say(turn: SaidTurn): Promise<SaidEnd>;
}

export function createStateWorld(
  operations: object,
  stores: { chat: ConversationStore },
  onPrompt: (prompt: string[]) => void,
): StateWorld;
