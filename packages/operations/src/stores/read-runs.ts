import { pageLimit } from "@ccl/core/paging";
import type { Records } from "@ccl/records";

import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import { pageStart } from "../ports/page-start.ts";
import type {
  ListRunsOptions,
  ReadEventsOptions,
  RunInput,
  RunPage,
  StoredRun,
} from "../ports/run-store.ts";
import type { StoreCall } from "../ports/store-call.ts";
import { readAnswer, type RunEnd, wholeEnd } from "./answer-text.ts";
import { RecordEdit, valueIn } from "./change-records.ts";
import { prefixOf, runNames } from "./record-names.ts";
import { readHead, type RunHead } from "./run-head.ts";
import { readRunEvents, readSteps } from "./run-log.ts";

/** Loads a run with its steps. */
export async function loadRun(
  records: Records,
  runId: string,
  call: StoreCall | undefined,
): Promise<StoredRun | undefined> {
  const edit = new RecordEdit(records, call);
  const [head, input] = await edit.read<[RunHead, RunInput]>(
    runNames.head(runId),
    runNames.input(runId),
  );
  if (head === undefined || input === undefined) return undefined;
  const { lastSeq, abort, lease, endedAt } = head;
  const names = endedAt === undefined ? [] : [runNames.result(runId)];
  const [result] = await edit.readAll<RunEnd>(names);
  const answer = await readAnswer(edit, head);
  const steps = await readSteps(records, head, answer, call);
  const whole = result && wholeEnd(result, runId, answer);
  return { input: { ...input, runId }, steps, lastSeq, result: whole, abort, lease };
}

/** Reads a page of a run's events. */
export async function readEvents(
  records: Records,
  runId: string,
  { limit, afterSeq, ...call }: ReadEventsOptions,
): Promise<RunEvent[]> {
  const size = pageLimit(limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
  const from = pageStart(afterSeq);
  const head = await readHead(new RecordEdit(records, call), runId);
  return readRunEvents(records, head, { afterSeq: from, limit: size }, call);
}

/** Lists a page of runs. */
export async function listRuns(
  records: Records,
  { all = false, cursor, limit, ...call }: ListRunsOptions,
): Promise<RunPage> {
  const size = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
  const nameOf = all ? runNames.newest : runNames.open;
  const after = cursor === undefined ? undefined : nameOf(cursor);
  const list = { ...call, prefix: prefixOf(all ? "newest" : "open"), cursor: after, limit: size };
  const page = await records.list(list);
  const ids = page.records.map((record) => valueIn<string>(record));
  const heads = ids.length === 0 ? [] : await records.getMany(ids.map(runNames.head), call);
  const runs = ids.flatMap((runId, at) => {
    const head = heads[at];
    return head === undefined ? [] : [{ runId, lease: valueIn<RunHead>(head).lease }];
  });
  return page.cursor === undefined ? { runs } : { runs, cursor: ids.at(-1) };
}
