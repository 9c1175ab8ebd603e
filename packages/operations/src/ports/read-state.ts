import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import { foldState, sessionOf, type ProfileSessionKey } from "./chat-state.ts";
import type { ChatStore } from "./chat-store.ts";
import type { StoreCall } from "./store-call.ts";

/**
 * Reads the state of a profile at the start of a turn, that is, of the answer displayed in the previous turn. Without
 * `before`, reads the state for the next turn. A feed contains what all displayed answers appended. Artifacts are
 * sorted by tag in code units.
 */
export async function readState(
  chat: Pick<ChatStore, "keptState">,
  { before, ...key }: ProfileSessionKey & { before?: string | undefined },
  call?: StoreCall,
): Promise<OperationArtifact[]> {
  const { chatId, branchId } = key;
  return foldState(
    await chat.keptState({ chatId, branchId, session: sessionOf(key), before }, call),
  );
}
