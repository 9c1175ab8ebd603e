import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { sleep } from "@ccl/core/async";
import { isRecord } from "@ccl/core/json";
import {
  createRunEngine,
  type OperationStores,
  type RunEngine,
  type RunEvent,
  type StoredRun,
} from "@ccl/operations";
import { textOfMessage } from "@ccl/inspector/stores";

import { CliError, messageOf, usageError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../session.ts";
import { printable } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import { openLanguageModel } from "../plan/open-language-model.ts";
import { allEvents, loadRun, newestRuns, type StoreFlags, withStores } from "../run-stores.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl run` and `ccl session`. */
export interface RunFlags extends StoreFlags {
  limit?: number | undefined;
  unfinished?: boolean | undefined;
  events?: boolean | undefined;
  engine?: string | undefined;
  model?: string | undefined;
  branch?: string | undefined;
  find?: string | undefined;
}

/** Lists the newest runs, or those that have not ended. */
export async function runList(session: Session, flags: RunFlags): Promise<CommandResult> {
  return withStores(session, flags, async (stores) => {
    const { limit = 20, unfinished } = flags;
    const { runs, hasMore } = await newestRuns(stores, { all: unfinished !== true, limit });
    const listed = runs.map(summaryOf);
    const columns = ["run", "chat", "status", "started", { right: "ms" }, "asked"];
    const rows = listed.map((run) => [
      run.runId,
      run.branchId === "main" ? run.chatId : `${run.chatId}/${run.branchId}`,
      run.status,
      run.startedAt.slice(0, 19),
      run.durationMs ?? "",
      run.message.slice(0, 50),
    ]);
    return {
      document: { runs: listed, hasMore },
      text: tableOf(columns, rows, "No runs.\n"),
      note: hasMore ? `There are older runs: --limit ${limit * 5}\n` : "",
    };
  });
}

interface RunSummary {
  runId: string;
  chatId: string;
  branchId: string;
  /** `running`: a worker holds its lease. `waiting for a worker`: the lease has expired. */
  status: string;
  startedAt: string;
  durationMs?: number | undefined;
  message: string;
}

function summaryOf({ input, result, lease }: StoredRun): RunSummary {
  const { runId, chatId, branchId, startedAt, userMessage, trigger } = input;
  const hasWorker = (lease?.expiresAtMs ?? 0) > Date.now();
  const text = textOfMessage({ content: userMessage });
  return {
    runId,
    chatId,
    branchId,
    status: result?.status ?? (hasWorker ? "running" : "waiting for a worker"),
    startedAt: new Date(startedAt).toISOString(),
    durationMs: result?.durationMs,
    message: text.split("\n", 1)[0] || `(${trigger})`,
  };
}

/** Shows one run. */
export async function runShow(
  session: Session,
  id: string,
  flags: RunFlags,
): Promise<CommandResult> {
  return withStores(session, flags, async (stores) => {
    const run = await loadRun(stores, id);
    const events = await allEvents(stores, id);
    const isWhole = flags.events === true;
    const document = { ...run, ...summaryOf(run), events: isWhole ? events : undefined };
    return { document, text: `${linesOf(run, events, isWhole).join("\n")}\n` };
  });
}

function linesOf(run: StoredRun, events: readonly RunEvent[], isWhole: boolean): string[] {
  const { runId, chatId, branchId, status, startedAt, message } = summaryOf(run);
  const { result } = run;
  const failure = result?.failedDetails?.errorMessage ?? "";
  const why = result?.failedType === undefined ? "" : ` (${result.failedType}: ${failure})`;
  const lines = [
    `${runId}  ${status}${why}`,
    `chat ${chatId}, branch ${branchId}, started ${startedAt}`,
    `asked: ${message}`,
  ];
  for (const event of events) {
    const shown = eventLine(event);
    if (shown !== undefined && (isWhole || !event.type.endsWith(".started")))
      lines.push(`${String(event.ts - run.input.startedAt).padStart(7)} ms  ${shown}`);
  }
  if (result?.mainLlm.text !== undefined) lines.push(`answered: ${result.mainLlm.text}`);
  return lines.map((line) => printable(line));
}

function eventLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case "operation.started":
      return `${event.operationName} started, attempt ${event.attempt}`;
    case "operation.waiting":
      return `${event.operationName} waits: ${event.question ?? "until its time"}`;
    case "operation.finished": {
      const why = event.error?.message ?? event.skippedReason;
      return `${event.operationName} ${event.status}${why === undefined ? "" : `: ${why}`}`;
    }
    case "main_llm.started":
      return `calling the model, attempt ${event.attempt}`;
    case "main_llm.tool_finished":
      return `the model's tool ${event.name} ${event.isError ? "failed" : "answered"}`;
    case "main_llm.finished":
      return `the model: ${event.finishReason}${event.error === undefined ? "" : `, ${event.error.message}`}`;
    case "run.finished":
      return `run ${event.status}`;
    default:
      return undefined;
  }
}

/** Aborts a run, and waits briefly until its worker notices. */
export async function runAbort(
  session: Session,
  id: string,
  flags: RunFlags,
): Promise<CommandResult> {
  return withStores(session, flags, async (stores) => {
    const { result } = await loadRun(stores, id);
    if (result !== undefined) return hadEnded(id, result.status);
    await engineWithout(stores).abort(id);
    for (let look = 0; look < 20; look += 1) {
      const status = (await stores.runs.loadRun(id))?.result?.status;
      if (status !== undefined) return reportRun(id, status, `The run has ended: ${status}.`);
      await sleep(250, session.signal);
    }
    return reportRun(id, "asked", "Its worker was asked to end it, but has not done so yet.");
  });
}

/** Creates an engine that can abort runs but not resume them. */
function engineWithout(stores: OperationStores): RunEngine {
  const generate = (): never => {
    throw usageError("This engine only aborts runs and calls no model.");
  };
  return createRunEngine({
    ...stores,
    mainModel: { provider: "none", modelId: "none", generate },
    recover: false,
  });
}

/** Resumes a run in this process, to its end. */
export async function runResume(
  session: Session,
  id: string,
  flags: RunFlags,
): Promise<CommandResult> {
  return withStores(session, flags, async (stores) => {
    const stored = await loadRun(stores, id);
    const { result: ended, lease } = stored;
    if (ended !== undefined) return hadEnded(id, ended.status);
    const leftMs = (lease?.expiresAtMs ?? 0) - Date.now();
    if (lease && leftMs > 0 && !(await stores.isOwnerDead?.(lease.owner)))
      throw new CliError(
        "plan_conflict",
        `Run ${id} is held by the worker ${lease.owner}. If that worker has died, try again in ${Math.ceil(leftMs / 1_000)} s.`,
      );
    const { profile } = stored.input;
    if (flags.engine === undefined && (profile?.operations.length ?? 0) > 0)
      throw usageError(
        `Run ${id} has operations of your application (profile ${JSON.stringify(profile?.profileId)}). Pass the module that exports createEngine(stores) as --engine.`,
      );
    session.signal.throwIfAborted();
    // Listen before the engine opens, since the signal may abort meanwhile.
    const interrupted = once(session.signal, "abort");
    const engine = await engineOf(session, stores, flags);
    const run = await engine.resume(id);
    const result = await Promise.race([run.result, interrupted]);
    // The process exits without ending the run. A later resume finds that the worker is gone and continues from what it
    // committed.
    if (Array.isArray(result))
      return {
        ...reportRun(
          id,
          "interrupted",
          `Interrupted. Run ${id} is unfinished; "ccl run resume" resumes it.`,
        ),
        exitCode: EXIT_CODES.interrupted,
        isCommitted: true,
        endsProcess: true,
      };
    const text = result.mainLlm.text ?? result.failedDetails?.errorMessage ?? "";
    return {
      document: result,
      text: `${result.status}\n${printable(text)}\n`,
      exitCode: result.status === "done" ? EXIT_CODES.ok : EXIT_CODES.failure,
      endsProcess: flags.engine !== undefined,
    };
  });
}

async function engineOf(
  session: Session,
  stores: OperationStores,
  { engine, model }: RunFlags,
): Promise<RunEngine> {
  if (engine === undefined) {
    const mainModel = await openLanguageModel(session, { model });
    return createRunEngine({ ...stores, mainModel, recover: false });
  }
  let module: unknown;
  try {
    module = await import(pathToFileURL(resolve(session.root, engine)).href);
  } catch (cause) {
    throw usageError(`${engine} could not be loaded: ${messageOf(cause)}`, cause);
  }
  const create = isRecord(module) ? module["createEngine"] : undefined;
  const created: unknown = typeof create === "function" ? await create(stores) : undefined;
  if (isEngine(created)) return created;
  throw usageError(`${engine} must export createEngine(stores), which returns an engine.`);
}

function isEngine(value: unknown): value is RunEngine {
  return isRecord(value) && "resume" in value && "abort" in value;
}

function hadEnded(runId: string, status: string): CommandResult {
  return reportRun(runId, status, `It has already ended: ${status}.`);
}

function reportRun(runId: string, status: string, text: string): CommandResult {
  return { document: { runId, status }, text: `${text}\n` };
}
