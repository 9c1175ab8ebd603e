import type { RunDetailsView, RunEventRow } from "../src/views.ts";

/** An operation of a run. */
export interface RunOperation {
  id: string;
  name: string;
  hook: string;
  status: string;
  startedAtMs?: number | undefined;
  finishedAtMs?: number | undefined;
  attempts?: number | undefined;
  /** The code of the reason why it was skipped. */
  reason?: string | undefined;
  /** The error, or what the operation waits for. */
  why?: string | undefined;
  /** Dependencies that have not finished, each with its status. */
  needs?: string[] | undefined;
  /** Conditions under which it runs. */
  conditions?: string[] | undefined;
  /** Its effects: written state and parts of the prompt. */
  effects: { name: string; text: string }[];
}

/** The state of a run after some of its events. */
export interface RunState {
  id: string;
  chat: string;
  trigger: string;
  status: string;
  startedAtMs: number;
  finishedAtMs?: number | undefined;
  why?: string | undefined;
  operations: RunOperation[];
  main?:
    | {
        status: string;
        why?: string | undefined;
        startedAtMs?: number | undefined;
        finishedAtMs?: number | undefined;
      }
    | undefined;
  answer?: string | undefined;
  artifacts: RunDetailsView["artifacts"];
  /**
   * The total number of events, how many of them this state includes, and the type of the last
   * included one.
   */
  events: { total: number; at: number; last?: string | undefined };
}

/** Computes the state of a run after its first `upTo` events. */
export function runAt(stored: RunDetailsView, upTo: number | undefined): RunState {
  const { input, steps, artifacts, events: all } = stored;
  const events = all.slice(0, upTo);
  const isWhole = events.length === all.length;
  const result = isWhole ? stored.result : undefined;
  const operations = new Map<string, RunOperation>();
  let main: RunState["main"];
  let answer = "";
  for (const event of events) {
    if (
      event.type === "operation.started" ||
      event.type === "operation.waiting" ||
      event.type === "operation.finished"
    ) {
      const key = `${event.hook} ${event.operationId}`;
      operations.set(key, operationOf(event, operations.get(key), steps));
    }
    if (event.type === "main_llm.started") {
      main = { status: "running", startedAtMs: event.ts };
      answer = "";
    }
    if (event.type === "main_llm.delta")
      answer = answer.slice(0, event.offset) + (event.text ?? "");
    if (event.type === "main_llm.finished")
      main = {
        ...main,
        status: event.status ?? "",
        finishedAtMs: event.ts,
        why: event.error?.message,
      };
  }
  for (const operation of operations.values())
    Object.assign(operation, blockersOf(operation, { input, operations }));
  const failed = result?.failedDetails;
  const whole = result?.mainLlm.text;
  return {
    id: input.runId,
    chat: input.chatId,
    trigger: input.trigger,
    status: result?.status ?? "running",
    startedAtMs: input.startedAt,
    finishedAtMs: result?.finishedAt,
    why:
      failed === undefined
        ? result?.finishReason
        : `${failed.operationId ?? "The run"}: ${failed.errorMessage ?? failed.errorCode ?? "failed"}`,
    operations: [...operations.values()],
    main,
    answer: whole ?? answer,
    artifacts,
    events: { total: all.length, at: events.length, last: events.at(-1)?.type },
  };
}

/** Lists an operation's unfinished dependencies, and conditions that may not be met. */
function blockersOf(
  { id, hook }: RunOperation,
  {
    input,
    operations,
  }: { input: RunDetailsView["input"]; operations: ReadonlyMap<string, RunOperation> },
): Pick<RunOperation, "needs" | "conditions"> {
  const config = input.profile?.operations.find(({ operationId }) => operationId === id)?.config;
  const needs = (config?.dependsOn ?? []).flatMap((name) => {
    const status = operations.get(`${hook} ${name}`)?.status;
    return status === undefined || status === "done" ? [] : [`${name}: ${status}`];
  });
  const conditions = (config?.when ?? []).map(
    ({ ref, equals = true, not = false }) =>
      `${ref} ${not ? "is not" : "is"} ${JSON.stringify(equals)}`,
  );
  return { needs, conditions };
}

function operationOf(
  event: RunEventRow,
  before: RunOperation | undefined,
  steps: RunDetailsView["steps"],
): RunOperation {
  const { operationId: id = "", operationName: name = id, hook = "", status = "" } = event;
  if (event.type === "operation.started")
    return {
      id,
      name,
      hook,
      status: "running",
      startedAtMs: event.ts,
      attempts: event.attempt,
      effects: [],
    };
  if (event.type === "operation.waiting")
    return {
      id,
      name,
      hook,
      status: "waiting",
      startedAtMs: before?.startedAtMs ?? event.ts,
      why: event.question,
      effects: [],
    };
  return {
    id,
    name,
    hook,
    status,
    reason: event.skippedReason,
    startedAtMs: event.startedAt ?? before?.startedAtMs,
    finishedAtMs: event.finishedAt,
    attempts: event.attempts ?? before?.attempts,
    why: event.error && `${event.error.code}: ${event.error.message}`,
    effects: effectsOf(id, hook, steps),
  };
}

function effectsOf(
  id: string,
  hook: string,
  steps: RunDetailsView["steps"],
): RunOperation["effects"] {
  return steps.flatMap((step) => {
    if (step.kind !== "operation" || step.operationId !== id || step.hook !== hook) return [];
    return (step.effects ?? []).map(({ type, ...rest }) => ({
      name: "tag" in rest ? `${type} ${String(rest.tag)}` : type,
      text: JSON.stringify(rest, null, 2),
    }));
  });
}
