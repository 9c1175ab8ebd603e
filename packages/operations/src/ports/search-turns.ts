import type { ChatBranch, StoredTurn } from "./chat-store.ts";
import type { ConversationStore } from "./conversation-store.ts";

/** What to search for. */
export interface TurnSearch {
  /** A turn matches if its variants together contain all of these words, ignoring case. */
  text: string;
  /** Returns only this many of the newest turns. Defaults to 20. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

const turnsAtOnce = 500;

/** Returns the newest turns of a branch that contain all words, oldest first. Stops reading at the last hit. */
export async function searchTurns(
  chat: Pick<ConversationStore, "turns">,
  branch: ChatBranch,
  { text, limit = 20, signal }: TurnSearch,
): Promise<StoredTurn[]> {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const found: StoredTurn[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await chat.turns(branch, { before, limit: turnsAtOnce, signal });
    for (const turn of page.toReversed()) {
      const said = textOf(turn);
      if (words.every((word) => said.includes(word))) found.push(turn);
      if (found.length === limit) return found.reverse();
    }
    if (page.length < turnsAtOnce) return found.reverse();
    before = page[0]?.userMessageId;
  }
}

function textOf({ userVariants, assistantVariants }: StoredTurn): string {
  const texts = [...userVariants, ...assistantVariants].map(({ content }) =>
    typeof content === "string"
      ? content
      : content.map((part) => ("text" in part ? part.text : "")).join("\n"),
  );
  return texts.join("\n").toLowerCase();
}
