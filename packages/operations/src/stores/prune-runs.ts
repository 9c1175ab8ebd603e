import type { Records } from "@ccl/records";

import type { StoreCall } from "../ports/chat-store.ts";
import {
  type RecordEdit,
  type RunHead,
  editorOf,
  prefixOf,
  runNames,
  valueIn,
} from "./stored-records.ts";

/** Which finished runs to delete. */
interface Pruning {
  endedBeforeMs: number;
  /** Keeps runs whose request ids are still remembered at that time. */
  nowMs: number;
  limit: number;
}

/** Number of runs deleted in one step. */
const atOnce = 100;

/** Deletes finished runs, oldest first, with everything that belongs to them. Returns their number. */
export async function pruneRuns(
  records: Records,
  { endedBeforeMs, nowMs, limit }: Pruning,
  call: StoreCall | undefined,
): Promise<number> {
  const onRecords = editorOf(records);
  const prefix = prefixOf("ended");
  let count = 0;
  let cursor: string | undefined;
  while (count < limit) {
    const { deleted, last } = await onRecords(call, async (edit) => {
      const page = await edit.page({ prefix, cursor, limit: atOnce });
      const names = page.records.map((record) => runNames.head(valueIn(record)));
      const heads = await edit.readAll<RunHead>(names);
      const old = heads.filter(
        (head): head is RunHead => head?.endedAt !== undefined && head.endedAt < endedBeforeMs,
      );
      const forgotten = old.filter(({ request }) => !request || request.keptUntilMs <= nowMs);
      const some = forgotten.slice(0, limit - count);
      await deleteRuns(edit, some);
      return { deleted: some.length, last: old.length < names.length ? undefined : page.cursor };
    });
    count += deleted;
    if (last === undefined) break;
    cursor = last;
  }
  return count;
}

/** Deletes ended runs with everything that belongs to them. */
export async function deleteRuns(edit: RecordEdit, heads: readonly RunHead[]): Promise<void> {
  const requests = heads.flatMap(({ request, ...head }) =>
    request === undefined ? [] : runNames.request(head, request.clientRequestId),
  );
  const known = await edit.readAll<{ runId: string }>(requests);
  const owners = new Map(requests.map((name, at) => [name, known[at]?.runId]));
  for (const head of heads) {
    const { lease, endedAt = 0, request } = head;
    const { runId } = lease;
    const { head: ofHead, input, result, answer, newest } = runNames;
    for (const of of [ofHead, input, result, answer, newest]) edit.remove(of(runId));
    edit.remove(runNames.ended(endedAt, runId));
    edit.remove(runNames.ofBranch(head, runId));
    edit.removeLog(runNames.log(runId));
    if (request === undefined) continue;
    // The id may have been reused since then.
    const name = runNames.request(head, request.clientRequestId);
    if (owners.get(name) === runId) edit.remove(name);
  }
}
