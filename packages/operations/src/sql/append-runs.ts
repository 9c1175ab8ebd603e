import { numberIn, textIn } from "@ccl/sql";
import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import { runStepKey, type RunStep } from "../ports/run-step.ts";
import type { AppendOutcome, RunAppend } from "../ports/run-store.ts";
import type { Batch } from "./group-commit.ts";
import { unknownRun } from "./lease-runs.ts";
import { maxEventsInRow, packEvents, packJson } from "./run-rows.ts";
import { change, keyOf, rowsOf, type Row, type SqlValue, type Steps } from "./statement.ts";

/**
 * Appends to runs under their lease. It locks the rows first, so that it compares the token with the last one granted,
 * and no other is granted before the commit.
 */
export const appendBatch: Batch<RunAppend, AppendOutcome> = {
  keyOf: ({ runId }) => runId,
  *steps(appends) {
    const heads = yield* lockRuns(appends);
    const outcomes: (AppendOutcome | OperationsError)[] = [];
    const adding: Adding[] = [];
    for (const append of appends) {
      const key = keyOf(append.runId);
      const head = heads.get(key);
      const decision = head === undefined ? unknownRun(key) : decide(append, head);
      if (typeof decision === "object" && "fresh" in decision)
        adding.push({ ...decision, append, key });
      outcomes.push(typeof decision === "object" && "fresh" in decision ? "appended" : decision);
    }
    yield* insertEvents(adding);
    yield* insertSteps(adding);
    yield* dropAnswers(adding.filter(({ append }) => append.result !== undefined));
    yield* moveHeads(adding);
    return outcomes;
  },
};

/** Deletes the main call's steps of runs that end, since their results contain the answer. */
function* dropAnswers(ended: readonly Adding[]): Steps<void> {
  yield* change(
    ({
      asked,
    }) => `DELETE FROM ccl_operation_steps WHERE run_key IN (SELECT asked_run FROM ${asked})
      AND (step_key LIKE '"main_llm/%' OR step_key LIKE '"turn_message/%')`,
    { columns: ["asked_run"], rows: ended.map(({ key }) => [key]) },
  );
}

/** Answers waiting operations, which needs no lease. */
export const answerBatch: Batch<{ runId: string; step: RunStep }, boolean> = {
  keyOf: ({ runId }) => runId,
  *steps(answers) {
    const heads = yield* lockRuns(answers);
    const adding: Adding[] = [];
    const outcomes = answers.map(({ runId, step }) => {
      const key = keyOf(runId);
      const head = heads.get(key);
      if (head === undefined) return unknownRun(key);
      const { fencingToken } = head;
      const append = { runId, fencingToken, events: [], steps: [step] };
      if (!head.hasEnded) adding.push({ head, key, append, fresh: [] });
      return key;
    });
    const taken = yield* insertSteps(adding);
    yield* moveHeads(adding);
    return outcomes.map((key) => (typeof key === "string" ? taken.has(key) : key));
  },
};

interface Head {
  fencingToken: number;
  lastSeq: number;
  lastEpoch: number;
  stepCount: number;
  hasEnded: boolean;
}

interface Adding {
  append: RunAppend;
  key: string;
  head: Head;
  fresh: readonly RunEvent[];
}

function* lockRuns(appends: readonly { runId: string }[]): Steps<Map<string, Head>> {
  const rows = yield* rowsOf(
    ({ asked, lock }) => `SELECT run_key, fencing_token, last_seq, last_epoch, step_count,
        CASE WHEN result IS NULL THEN 0 ELSE 1 END AS has_ended
      FROM ${asked} JOIN ccl_operation_runs stored ON run_key = asked_run ${lock}`,
    { columns: ["asked_run"], rows: appends.map(({ runId }) => [keyOf(runId)]) },
  );
  return new Map(rows.map((row) => [textIn(row, "run_key"), headOf(row)]));
}

function headOf(row: Row): Head {
  return {
    fencingToken: numberIn(row, "fencing_token"),
    lastSeq: numberIn(row, "last_seq"),
    lastEpoch: numberIn(row, "last_epoch"),
    stepCount: numberIn(row, "step_count"),
    hasEnded: row["has_ended"] === 1,
  };
}

function decide(
  append: RunAppend,
  head: Head,
): AppendOutcome | OperationsError | { head: Head; fresh: readonly RunEvent[] } {
  const { runId, fencingToken, events } = append;
  if (head.fencingToken !== fencingToken) return "stale_lease";
  if (head.hasEnded) return isRepeated(events.at(-1), head) ? "appended" : "stale_lease";
  const fresh =
    events[0]?.seq === head.lastSeq + 1 ? events : events.filter(({ seq }) => seq > head.lastSeq);
  const first = fresh[0];
  if (first !== undefined && first.seq !== head.lastSeq + 1) {
    const message = `Event ${first.seq} of run ${runId} can't follow event ${head.lastSeq}.`;
    return new OperationsError("store_failed", message);
  }
  return { head, fresh };
}

/** True for the last event of the worker that ended the run, or an earlier one. */
function isRepeated(last: RunEvent | undefined, { lastSeq, lastEpoch }: Head): boolean {
  return last !== undefined && last.seq <= lastSeq && last.epoch === lastEpoch;
}

function* insertEvents(adding: readonly Adding[]): Steps<void> {
  const rows = adding.flatMap(eventRowsOf);
  yield* change(
    ({ asked }) => `INSERT INTO ccl_operation_events (run_key, first_seq, last_seq, events)
      SELECT asked_run, asked_first, asked_last, asked_events FROM ${asked}`,
    { columns: ["asked_run", "asked_first#", "asked_last#", "asked_events"], rows },
  );
}

/** Columns: run, first and last number, events. */
function eventRowsOf({ key, fresh, append }: Adding): SqlValue[][] {
  const rows: SqlValue[][] = [];
  for (let from = 0; from < fresh.length; from += maxEventsInRow) {
    const piece = fresh.slice(from, from + maxEventsInRow);
    const events = packEvents(piece, append.result);
    rows.push([key, piece[0]?.seq ?? 0, piece.at(-1)?.seq ?? 0, events]);
  }
  return rows;
}

/** Columns: run, key, position among the steps, step. */
function stepRowsOf({ append, key, head }: Adding): SqlValue[][] {
  return append.steps.map((step, index) => [
    key,
    keyOf(runStepKey(step)),
    head.stepCount + index,
    packJson(step, step.kind === "main_llm" ? step.text : undefined),
  ]);
}

/** Inserts steps. Returns the keys of runs that have a new step. */
function* insertSteps(adding: readonly Adding[]): Steps<Set<string>> {
  const rows = adding.flatMap(stepRowsOf);
  const added = yield* rowsOf(
    ({ asked }) => `INSERT INTO ccl_operation_steps (run_key, step_key, position, step)
      SELECT asked_run, asked_key, asked_position, asked_step FROM ${asked} WHERE true ON CONFLICT DO NOTHING RETURNING run_key`,
    { columns: ["asked_run", "asked_key", "asked_position#", "asked_step"], rows },
  );
  return new Set(added.map((row) => textIn(row, "run_key")));
}

function* moveHeads(adding: readonly Adding[]): Steps<void> {
  const rows = adding.map(({ append, key, head, fresh }): SqlValue[] => {
    const last = fresh.at(-1);
    const result =
      append.result === undefined ? null : packJson(append.result, append.result.mainLlm.text);
    const stepCount = head.stepCount + append.steps.length;
    const moved = [last?.seq ?? head.lastSeq, last?.epoch ?? head.lastEpoch, stepCount];
    return [key, append.fencingToken, ...moved, result, endOf(append)];
  });
  yield* change(
    ({ asked }) => `UPDATE ccl_operation_runs SET last_seq = asked_seq, last_epoch = asked_epoch,
        step_count = asked_steps, result = asked_result, ended_at = asked_end,
        is_held = CASE WHEN asked_result IS NULL THEN is_held ELSE 0 END
      FROM ${asked} WHERE run_key = asked_run AND fencing_token = asked_token AND result IS NULL`,
    {
      columns: [
        "asked_run",
        "asked_token#",
        "asked_seq#",
        "asked_epoch#",
        "asked_steps#",
        "asked_result",
        "asked_end#",
      ],
      rows,
    },
  );
}

/** When the run ended, in whole milliseconds. null if it has not ended. */
function endOf({ result }: RunAppend): number | null {
  return result === undefined ? null : Math.floor(result.finishedAt);
}
