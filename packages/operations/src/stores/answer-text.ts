import { OperationsError } from "../operations-error.ts";
import type { AssistantVariant } from "../ports/chat-store.ts";
import { saveVariant } from "../ports/chat-turn.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { StoredRun } from "../ports/run-store.ts";
import type { RecordEdit } from "./change-records.ts";
import { chatNames, runNames } from "./record-names.ts";
import type { RunHead } from "./run-head.ts";
import type { TurnRecord } from "./turn-records.ts";

/** Shorter strings are no longer than their replacement. */
const minLength = 32;

/**
 * A run's answer is stored in its turn. Elsewhere in the run, a string that is part of the answer is replaced by its
 * length. If `answer` is undefined, nothing is replaced.
 */
export type AnswerText = string | undefined;

/** How a run ended. */
export type RunEnd = NonNullable<StoredRun["result"]>;

type Change = (text: unknown, offset?: number) => unknown;

/** Creates a change that replaces strings by their lengths. */
export function shortening(answer: AnswerText): Change {
  return (text, offset = 0) =>
    typeof text === "string" && text.length >= minLength && answer?.startsWith(text, offset)
      ? text.length
      : text;
}

/** Creates a change that replaces lengths by their strings. */
export function lengthening(answer: AnswerText): Change {
  return (text, offset = 0) =>
    typeof text === "number" ? answer?.slice(offset, offset + text) : text;
}

/** The stored body of an event. If `epoch` or `ts` is absent, the entry's value applies. */
export interface EventBody {
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
export function storedEnd(result: RunEnd, answer: AnswerText): object {
  const mainLlm = mainWith(result.mainLlm, shortening(answer));
  return { ...result, runId: undefined, mainLlm };
}

/** Restores a result that `storedEnd` stored. */
export function wholeEnd(stored: RunEnd, runId: string, answer: AnswerText): RunEnd {
  const { formatVersion, runId: _, ...rest } = stored;
  const mainLlm = mainWith(rest.mainLlm, lengthening(answer));
  return { formatVersion, runId, ...rest, mainLlm };
}

/** Returns a step with its strings replaced. */
export function stepWith(step: RunStep, change: Change): RunStep {
  return step.kind === "main_llm" ? mainWith(step, change) : step;
}

/** Returns the body of an event with its text replaced. */
export function eventWith(body: EventBody, change: Change): EventBody {
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
