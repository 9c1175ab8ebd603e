import type { Records } from "@ccl/records";

import type { ChatBranch } from "../ports/chat-store.ts";
import type { StoreCall } from "../ports/store-call.ts";
import { listValues, RecordEdit } from "./change-records.ts";
import { chatNames, prefixOf } from "./record-names.ts";
import type { TurnRecord } from "./turn-records.ts";

/** The turns from one position to another, both included, in their order. */
export async function readTurns(
  records: Records,
  branch: ChatBranch,
  { from = 1, to }: { from?: number; to: number },
  call: StoreCall | undefined,
): Promise<TurnRecord[]> {
  const limit = to - Math.max(1, from) + 1;
  if (limit < 1) return [];
  const prefix = prefixOf("place", branch.chatId, branch.branchId);
  const cursor = from > 1 ? chatNames.place(branch, from - 1) : undefined;
  const ids = await listValues<string>(records, { prefix, cursor, limit }, call);
  const names = ids.map((id) => chatNames.turn(branch, id));
  const turns = await new RecordEdit(records, call).readAll<TurnRecord>(names);
  // Positions of deleted turns are missing, so there may be later ones.
  return turns.flatMap((turn) => (turn === undefined || turn.position > to ? [] : [turn]));
}

/** The newest turns up to a position, in their order. */
export async function readNewestTurns(
  records: Records,
  branch: ChatBranch,
  { to, limit }: { to: number; limit: number },
  call: StoreCall | undefined,
): Promise<TurnRecord[]> {
  // Looks further back each time, since positions of deleted turns are missing.
  if (limit < 1) return [];
  for (let count = limit; ; count *= 4) {
    const from = to - count + 1;
    const turns = await readTurns(records, branch, { from, to }, call);
    if (turns.length >= limit || from <= 1) return turns.slice(-limit);
  }
}
