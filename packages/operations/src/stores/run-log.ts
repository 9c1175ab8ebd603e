import type { RunEvent } from "../events/run-event.ts";
import { type RunStep, runStepKey } from "../ports/run-step.ts";
import {
  type AnswerText,
  type EventBody,
  eventWith,
  lengthening,
  readAnswer,
  type RunEnd,
  type shortening,
  stepWith,
  wholeEnd,
} from "./answer-text.ts";
import type { RecordEdit } from "./change-records.ts";
import { runNames } from "./record-names.ts";
import type { RunHead } from "./run-head.ts";

/**
 * An entry of a run's log. Events omit what the run and their position determine. The result of a run's last event is
 * null. A step of the main call is replaced by its key.
 */
interface LogEntry extends Pick<EventBody, "epoch" | "ts"> {
  /** Number of the first event. */
  first?: number | undefined;
  events?: EventBody[] | undefined;
  steps?: (RunStep | string)[] | undefined;
}

/** Limits entries, so that a reader can find its first event without reading all. */
const maxEvents = 256;

const noStamp = {
  runId: undefined,
  chatId: undefined,
  branchId: undefined,
  userMessageId: undefined,
  trigger: undefined,
  seq: undefined,
  epoch: undefined,
  ts: undefined,
};

/** True for a step needed only until the run has ended, since its result contains the answer. */
export function isMainStep({ kind }: RunStep): boolean {
  return kind === "main_llm" || kind === "turn_message";
}

/** Returns the log entries of an append. */
export function logEntriesOf(
  events: readonly RunEvent[],
  steps: readonly RunStep[],
  change: ReturnType<typeof shortening>,
): LogEntry[] {
  const entries: LogEntry[] = [];
  for (let at = 0; at < events.length; at += maxEvents) {
    const some = events.slice(at, at + maxEvents);
    const [{ seq: first, epoch, ts } = noStamp] = some;
    const bodies = some.map((event) => eventWith(bodyOf(event, { epoch, ts }), change));
    entries.push({ first, epoch, ts, events: bodies });
  }
  if (steps.length === 0) return entries;
  const shown = steps.map((step) => (isMainStep(step) ? runStepKey(step) : step));
  return [{ ...entries[0], steps: shown }, ...entries.slice(1)];
}

function bodyOf(event: RunEvent, of: LogEntry): EventBody {
  const epoch = event.epoch === of.epoch ? undefined : event.epoch;
  const ts = event.ts === of.ts ? undefined : event.ts;
  const body = { ...event, ...noStamp, epoch, ts };
  if (event.type !== "run.finished" || event.result === undefined) return body;
  const short = { ...body, result: null };
  return short;
}

/** Returns a run's steps in append order. For each key, the first step is kept. */
export async function readSteps(
  edit: RecordEdit,
  { lease: { runId }, main = [] }: RunHead,
  answer: AnswerText,
): Promise<RunStep[]> {
  const names = main.map((key) => runNames.main(runId, key));
  const found = await edit.readAll<RunStep>(names);
  const mainSteps = new Map(main.map((key, at) => [key, found[at]]));
  const change = lengthening(answer);
  const steps = new Map<string, RunStep>();
  for (const entry of await edit.readLog<LogEntry>(runNames.log(runId), 0))
    for (const one of entry.steps ?? []) {
      const known = typeof one === "string" ? mainSteps.get(one) : one;
      const step = known && stepWith(known, change);
      if (step !== undefined && !steps.has(runStepKey(step))) steps.set(runStepKey(step), step);
    }
  return [...steps.values()];
}

/** Returns a run's events after a number. */
export async function readRunEvents(
  edit: RecordEdit,
  head: RunHead,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<RunEvent[]> {
  if (afterSeq >= head.lastSeq) return [];
  const { runId } = head.lease;
  const { chatId, branchId, userMessageId, trigger } = head;
  const answer = await readAnswer(edit, head);
  const change = lengthening(answer);
  const found: RunEvent[] = [];
  for (const { first = 1, events = [], ...stamp } of await entriesAfter(edit, head, afterSeq))
    for (const [at, body] of events.entries()) {
      const { epoch = stamp.epoch, ts = stamp.ts, ...rest } = body;
      const seq = first + at;
      if (seq <= afterSeq || found.length >= limit) continue;
      const read = eventWith(rest, change);
      found.push(
        eventOf({ runId, chatId, branchId, userMessageId, trigger, seq, epoch, ts, ...read }),
      );
    }
  const last = found.at(-1);
  if (last?.type !== "run.finished" || last.result === undefined) return found;
  const [stored] = await edit.read<[RunEnd]>(runNames.result(runId));
  const result = stored && wholeEnd(stored, runId, answer);
  return [...found.slice(0, -1), eventOf({ ...last, result })];
}

/** Searches from the end, further back each time, since readers usually want the last events. */
async function entriesAfter(
  edit: RecordEdit,
  { lease: { runId }, entries }: RunHead,
  afterSeq: number,
): Promise<LogEntry[]> {
  const log = runNames.log(runId);
  for (let count = afterSeq > 0 ? 8 : entries; count < entries; count *= 4) {
    const found = await edit.readLog<LogEntry>(log, entries - count);
    const first = found.find((entry) => entry.first !== undefined)?.first;
    if (first !== undefined && first <= afterSeq + 1) return found;
  }
  return edit.readLog(log, 0);
}

function eventOf(event: object): RunEvent {
  return Object.freeze(event) as RunEvent;
}
