import type { ChatBranch } from "../ports/chat-store.ts";
import { type RecordEdit, chatNames, prefixOf } from "./stored-records.ts";
import type { TurnRecord } from "./turn-records.ts";

/** Returns the turns from one position to another, both included, in order. */
export async function readTurns(
  edit: RecordEdit,
  branch: ChatBranch,
  { from = 1, to }: { from?: number; to: number },
): Promise<TurnRecord[]> {
  const limit = to - Math.max(1, from) + 1;
  if (limit < 1) return [];
  const prefix = prefixOf("place", branch.chatId, branch.branchId);
  const cursor = from > 1 ? chatNames.place(branch, from - 1) : undefined;
  const ids = await edit.list<string>({ prefix, cursor, limit });
  const names = ids.map((id) => chatNames.turn(branch, id));
  const turns = await edit.readAll<TurnRecord>(names);
  // Deleted turns leave gaps in the positions, so there may be later ones.
  return turns.flatMap((turn) => (turn === undefined || turn.position > to ? [] : [turn]));
}

/** Returns the newest turns up to a position, in order. */
export async function readNewestTurns(
  edit: RecordEdit,
  branch: ChatBranch,
  { to, limit }: { to: number; limit: number },
): Promise<TurnRecord[]> {
  // Looks further back each time, since deleted turns leave gaps.
  if (limit < 1) return [];
  for (let count = limit; ; count *= 4) {
    const from = to - count + 1;
    const turns = await readTurns(edit, branch, { from, to });
    if (turns.length >= limit || from <= 1) return turns.slice(-limit);
  }
}
