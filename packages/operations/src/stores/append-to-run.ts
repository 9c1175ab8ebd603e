import { OperationsError } from "../operations-error.ts";
import { type AppendOutcome, type RunAppend, runStepKey } from "../ports/run-store.ts";
import {
  type BranchRecord,
  type RecordEdit,
  type RunHead,
  chatNames,
  readHead,
  runNames,
} from "./stored-records.ts";
import {
  type AnswerText,
  addAnswer,
  isMainStep,
  logEntriesOf,
  readAnswer,
  shortening,
  stepWith,
  storedEnd,
} from "./run-log.ts";
import { applyCommit, putTurn, readTurn } from "./turn-records.ts";

/** Appends to a run under its lease. */
export async function appendToRun(edit: RecordEdit, append: RunAppend): Promise<AppendOutcome> {
  const { runId, fencingToken, events, answer, commit } = append;
  const head = await readHead(edit, runId);
  if (head.lease.fencingToken !== fencingToken) return { status: "stale_lease" };
  const last = events.at(-1);
  if (head.endedAt !== undefined) {
    const isRepeated =
      last !== undefined && last.seq <= head.lastSeq && last.epoch === head.lastEpoch;
    return { status: isRepeated ? "appended" : "stale_lease" };
  }
  const fresh = events.filter(({ seq }) => seq > head.lastSeq);
  const [first] = fresh;
  if (first !== undefined && first.seq !== head.lastSeq + 1) {
    const message = `Event ${first.seq} of run ${runId} can't follow event ${head.lastSeq}.`;
    throw new OperationsError("conflict", message);
  }
  const added = { ...append, events: fresh };
  const at = answer ?? commit;
  if (at !== undefined) {
    // The head is written in the same step, so no other lease is granted in the meantime.
    const turn = await readTurn(edit, at);
    if (commit !== undefined) await applyCommit(edit, turn, commit);
    if (answer !== undefined) head.answer = addAnswer(turn, answer);
    putTurn(edit, at, turn);
  }
  await addToRun(edit, head, added, answer?.text ?? (await readAnswer(edit, head)));
  return { status: "appended" };
}

/** Adds entries to a run. Ends the run if there is a result. */
export async function addToRun(
  edit: RecordEdit,
  head: RunHead,
  { events, steps, result }: Pick<RunAppend, "events" | "steps" | "result">,
  answer: AnswerText,
): Promise<void> {
  const change = shortening(answer);
  const { runId } = head.lease;
  const entries = logEntriesOf(events, steps, change);
  edit.append(runNames.log(runId), entries, head.entries);
  const { seq: lastSeq = head.lastSeq, epoch: lastEpoch = head.lastEpoch } = events.at(-1) ?? {};
  const counts = { lastSeq, lastEpoch, entries: head.entries + entries.length };
  if (result === undefined) {
    const main = [...(head.main ?? [])];
    for (const step of steps.filter(isMainStep)) {
      const key = runStepKey(step);
      if (main.includes(key)) continue;
      main.push(key);
      edit.put(runNames.main(runId, key), stepWith(step, change));
    }
    const next: RunHead = { ...head, ...counts, main: main.length > 0 ? main : undefined };
    edit.put(runNames.head(runId), next);
    return;
  }
  const name = chatNames.branch(head);
  const [branch] = await edit.read<[BranchRecord]>(name);
  if (branch?.active === runId) edit.put(name, { ...branch, active: undefined });
  for (const key of head.main ?? []) edit.remove(runNames.main(runId, key));
  const { finishedAt: endedAt } = result;
  const ended: RunHead = { ...head, ...counts, main: undefined, isHeld: false, endedAt };
  edit.put(runNames.head(runId), ended);
  edit.put(runNames.result(runId), storedEnd(result, answer));
  edit.remove(runNames.open(runId));
  edit.put(runNames.ended(endedAt, runId), runId);
}
