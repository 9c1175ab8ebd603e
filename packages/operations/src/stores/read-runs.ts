import { pageLimit } from "@ccl/core/paging";

import type { RunEvent } from "../events/run-event.ts";
import { OperationsError, pageStart } from "../operations-error.ts";
import type {
  ListRunsOptions,
  ReadEventsOptions,
  RunInput,
  RunPage,
  StoredRun,
} from "../ports/run-store.ts";
import { readAnswer, type RunEnd, wholeEnd } from "./answer-text.ts";
import { type RecordEdit, valueIn } from "./change-records.ts";
import { prefixOf, runNames } from "./record-names.ts";
import { readHead, type RunHead } from "./run-head.ts";
import { readRunEvents, readSteps } from "./run-log.ts";

/** Loads a run with its steps. */
export async function loadRun(edit: RecordEdit, runId: string): Promise<StoredRun | undefined> {
  const [head, input] = await edit.read<[RunHead, RunInput]>(
    runNames.head(runId),
    runNames.input(runId),
  );
  if (head === undefined || input === undefined) return undefined;
  const { lastSeq, abort, lease, endedAt } = head;
  const names = endedAt === undefined ? [] : [runNames.result(runId)];
  const [result] = await edit.readAll<RunEnd>(names);
  const answer = await readAnswer(edit, head);
  const steps = await readSteps(edit, head, answer);
  const whole = result && wholeEnd(result, runId, answer);
  return { input: { ...input, runId }, steps, lastSeq, result: whole, abort, lease };
}

/** Reads a page of a run's events. */
export async function readEvents(
  edit: RecordEdit,
  runId: string,
  { limit, afterSeq }: ReadEventsOptions,
): Promise<RunEvent[]> {
  const size = pageLimit(limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
  const from = pageStart(afterSeq);
  const head = await readHead(edit, runId);
  return readRunEvents(edit, head, { afterSeq: from, limit: size });
}

/** Lists a page of runs. */
export async function listRuns(
  edit: RecordEdit,
  { all = false, cursor, limit }: ListRunsOptions,
): Promise<RunPage> {
  const size = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
  const nameOf = all ? runNames.newest : runNames.open;
  const after = cursor === undefined ? undefined : nameOf(cursor);
  const prefix = prefixOf(all ? "newest" : "open");
  const page = await edit.page({ prefix, cursor: after, limit: size });
  const ids = page.records.map((record) => valueIn<string>(record));
  const heads = await edit.readAll<RunHead>(ids.map(runNames.head));
  const runs = ids.flatMap((runId, at) => {
    const head = heads[at];
    return head === undefined ? [] : [{ runId, lease: head.lease }];
  });
  return page.cursor === undefined ? { runs } : { runs, cursor: ids.at(-1) };
}
