import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import { foldState, sessionOf, type ProfileSessionKey } from "./chat-state.ts";
import type { ChatStore } from "./chat-store.ts";
import type { StoreCall } from "./store-call.ts";

/**
 * The state of a profile as a turn begins, of the next turn without `before`: that of the answer which the turn before
 * shows. What is appended is that of all shown answers. In the order of the tags' code units.
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
