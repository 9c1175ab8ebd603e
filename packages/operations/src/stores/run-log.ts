import type { RunEvent, RunResult } from "../events/run-event.ts";
import { type RunStep, runStepKey } from "../ports/run-store.ts";
import { type RecordEdit, type RunHead, chatNames, runNames } from "./stored-records.ts";
import { OperationsError } from "../operations-error.ts";
import { type AssistantVariant, saveVariant } from "../ports/chat-store.ts";
import type { TurnRecord } from "./turn-records.ts";

/** Shorter strings are no longer than their replacement. */
const minLength = 32;

/**
 * A run's answer is stored in its turn. Elsewhere in the run, a string that is part of the answer is replaced by its
 * length. If `answer` is undefined, nothing is replaced.
 */
export type AnswerText = string | undefined;

type Change = (text: unknown, offset?: number) => unknown;

/** Creates a change that replaces strings by their lengths. */
export function shortening(answer: AnswerText): Change {
  return (text, offset = 0) =>
    typeof text === "string" && text.length >= minLength && answer?.startsWith(text, offset)
      ? text.length
      : text;
}

/** Creates a change that replaces lengths by their strings. */
function lengthening(answer: AnswerText): Change {
  return (text, offset = 0) =>
    typeof text === "number" ? answer?.slice(offset, offset + text) : text;
}

/** The stored body of an event. If `epoch` or `ts` is absent, the entry's value applies. */
interface EventBody {
  type?: string | undefined;
  text?: unknown;
  offset?: number | undefined;
  epoch?: number | undefined;
  ts?: number | undefined;
}

interface Main {
  text?: unknown;
  steps?: readonly { text?: unknown }[] | undefined;
}

function mainWith<Value extends Main>(main: Value, change: Change): Value {
  const steps = main.steps?.map((step) => ({ ...step, text: change(step.text) }));
  return { ...main, text: change(main.text), steps };
}

/** Converts a result to its stored form: without its run, and with its strings replaced. */
export function storedEnd(result: RunResult, answer: AnswerText): object {
  const mainLlm = mainWith(result.mainLlm, shortening(answer));
  return { ...result, runId: undefined, mainLlm };
}

/** Restores a result that `storedEnd` stored. */
export function wholeEnd(stored: RunResult, runId: string, answer: AnswerText): RunResult {
  const { formatVersion, runId: _, ...rest } = stored;
  const mainLlm = mainWith(rest.mainLlm, lengthening(answer));
  return { formatVersion, runId, ...rest, mainLlm };
}

/** Returns a step with its strings replaced. */
export function stepWith(step: RunStep, change: Change): RunStep {
  return step.kind === "main_llm" ? mainWith(step, change) : step;
}

/** Returns the body of an event with its text replaced. */
function eventWith(body: EventBody, change: Change): EventBody {
  const { type, text, offset } = body;
  return type === "main_llm.delta" ? { ...body, text: change(text, offset) } : body;
}

/** Reads the answer of a run, if its strings are stored as lengths. An edited answer is stored separately. */
export async function readAnswer(edit: RecordEdit, head: RunHead): Promise<AnswerText> {
  const { answer, userMessageId, lease } = head;
  if (answer === undefined) return undefined;
  const [turn, former] = await edit.read<[TurnRecord, string]>(
    chatNames.turn(head, userMessageId),
    runNames.answer(lease.runId),
  );
  const text = former ?? turn?.assistantVariants[answer]?.content;
  if (typeof text === "string") return text;
  const message = `The answer of run ${JSON.stringify(lease.runId)} is not in its turn.`;
  throw new OperationsError("damaged", message);
}

/** Stores a run's answer. Returns its index. */
export function addAnswer(turn: TurnRecord, answer: AssistantVariant): number {
  const index = saveVariant(turn, answer);
  turn.runs = { ...turn.runs, [index]: answer.runId };
  return index;
}

/** Stores a run's answer separately before a user edits it. */
export async function keepAnswer(
  edit: RecordEdit,
  turn: TurnRecord,
  variantId: string,
): Promise<void> {
  const index = turn.assistantVariants.findIndex((one) => one.variantId === variantId);
  const runId = turn.runs?.[index];
  if (runId === undefined) return;
  const name = runNames.answer(runId);
  const [head, former] = await edit.read<[RunHead, string]>(runNames.head(runId), name);
  if (head !== undefined && former === undefined)
    edit.put(name, turn.assistantVariants[index]?.content);
}

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
    const { seq: first, epoch, ts }: Partial<RunEvent> = some[0] ?? {};
    const bodies = some.map((event) => eventWith(bodyOf(event, { epoch, ts }), change));
    entries.push({ first, epoch, ts, events: bodies });
  }
  if (steps.length === 0) return entries;
  const shown = steps.map((step) => (isMainStep(step) ? runStepKey(step) : step));
  return [{ ...entries[0], steps: shown }, ...entries.slice(1)];
}

/** Fields of an event that its run and its position in the log determine. */
const stamp = new Set(["runId", "chatId", "branchId", "userMessageId", "trigger", "seq"]);

function bodyOf(event: RunEvent, of: LogEntry): EventBody {
  const body: Record<string, unknown> = {};
  // Faster than a spread, since events have many shapes.
  for (const key in event) if (!stamp.has(key)) body[key] = event[key as keyof RunEvent];
  if (event.epoch === of.epoch) body["epoch"] = undefined;
  if (event.ts === of.ts) body["ts"] = undefined;
  if (event.type === "run.finished" && event.result !== undefined) body["result"] = null;
  return body;
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
  for (const { first = 1, events = [], epoch, ts } of await entriesAfter(edit, head, afterSeq))
    for (const [at, body] of events.entries()) {
      const seq = first + at;
      if (seq <= afterSeq || found.length >= limit) continue;
      const own = eventWith(body, change);
      found.push(
        eventOf({ runId, chatId, branchId, userMessageId, trigger, seq, epoch, ts, ...own }),
      );
    }
  const last = found.at(-1);
  if (last?.type !== "run.finished" || last.result === undefined) return found;
  const [stored] = await edit.read<[RunResult]>(runNames.result(runId));
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
