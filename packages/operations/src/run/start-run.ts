import { currentTrace } from "@ccl/core/tracing";
import { onAbort, throwIfAborted, untilAborted } from "@ccl/core/async";

import { OperationsError } from "../operations-error.ts";
import { branchKey } from "../ports/branch-key.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { NewRun, RunCreation, RunInput } from "../ports/run-store.ts";
import type { ValidProfile } from "../profile/validate-profile.ts";
import { checkStart, payloadHash, type StartRequest } from "./check-start.ts";
import type { EngineServices, StartOptions, WhenActive } from "./engine-options.ts";
import type { LiveRun } from "./live-run.ts";
import { messageOf } from "../operation/message-of.ts";
import type { RunWorker, Runner } from "./runner.ts";
import { safeText } from "./safe-text.ts";
import type { PreparedPlan } from "./plan-run.ts";

// The limit that a start accepts.
const maxInitiatorChars = 200;

/** Services that a start needs. */
export interface StarterOptions extends RunWorker {
  runner: Runner;
  profiles: ProfileStore;
  whenActive: WhenActive;
}

/** Starts runs: validates them, creates them in the store, and submits them to the executor. */
export function createRunStarter(
  starter: StarterOptions,
): (options: StartOptions) => Promise<LiveRun> {
  const { services, planOf, runner, executor, owner } = starter;
  // Last start in the queue, by branch.
  const queues = new Map<string, Promise<unknown>>();
  const begin = async (options: StartRequest): Promise<LiveRun> => {
    const until = <Value>(promise: Promise<Value>): Promise<Value> =>
      untilAborted(promise, options.signal, OperationsError);
    const { profile, profileRef, trigger, message, signal } = options;
    for (;;) {
      throwIfAborted(options.signal, OperationsError);
      // Repeated for each try: a start that waited for the branch uses the time, profile and last turn of the moment
      // when it starts.
      const userMessageId =
        message === undefined ? await until(knownTurn(options, services)) : options.userMessageId;
      const given =
        profileRef === undefined
          ? profile
          : await until(starter.profiles.load(profileRef, signal && { signal }));
      if (profileRef !== undefined && given === undefined)
        throw new OperationsError(
          "unknown_profile",
          `There is no profile ${JSON.stringify(profileRef)}; save it first.`,
        );
      // Before anything is stored, so that a run that cannot be planned is never stored.
      const plan = planOf(given, trigger);
      throwIfAborted(options.signal, OperationsError);
      const input = inputOf(options, { services, profile: plan.profile, userMessageId });
      const creating = services.runs.createRun(newRun(input, options, { services, owner }));
      const creation = await untilAbandoned(creating, options.signal, services).catch(
        (error: unknown) => {
          // If the store still creates the run, it is aborted so that it does not hold the branch.
          void creating.then(
            async (late) =>
              late.status === "created" ? accepted(plan, input, late, options.signal) : undefined,
            () => {},
          );
          throw error;
        },
      );
      if (creation.status === "created") return accepted(plan, input, creation, options.signal);
      if (creation.status === "duplicate") return known(creation.runId, options.signal);
      if (creation.status === "payload_conflict") throw payloadConflict(options, creation.runId);
      await freeBranch(creation.runId, options);
    }
  };
  const accepted = async (
    plan: PreparedPlan,
    input: RunInput,
    { lease }: Extract<RunCreation, { status: "created" }>,
    signal: AbortSignal | undefined,
  ): Promise<LiveRun> => {
    const live = runner.liveOf(input.runId);
    abortWith(live, signal);
    live.prepared = { ...plan, services, input, lease, feed: live.feed };
    try {
      await executor.submit(input.runId, false);
    } catch (cause) {
      throw notSubmitted(input.runId, cause);
    }
    return live;
  };
  // The run's worker continues. If it has died, one of the callers resumes the run.
  const known = (runId: string, signal: AbortSignal | undefined): Promise<LiveRun> => {
    abortWith(runner.liveOf(runId), signal);
    return runner.resume(runId);
  };
  const freeBranch = async (activeId: string, options: StartRequest): Promise<void> => {
    const policy = options.whenActive ?? starter.whenActive;
    const found = await runner.takeOver(activeId);
    if (found === "ended") return;
    if (policy === "reject" && found === "held") throw runActive(activeId);
    const active = runner.liveOf(activeId);
    if (policy === "abort_previous") active.abort("Another run was started.");
    else if (found === "unplannable")
      active.abort("Its worker has died, and no other could resume it.");
    // The run's worker continues. If it has died, this process resumes the run.
    void runner.execute(activeId);
    await untilAborted(active.result, options.signal, OperationsError);
    // A run that could not be resumed, or whose end could not be stored, still holds the branch.
    const stored = await services.runs.loadRun(activeId);
    if (stored !== undefined && stored.result === undefined) throw runActive(activeId);
  };
  const beginInTurn = (options: StartRequest): Promise<LiveRun> => {
    const branch = branchKey(options);
    const before = queues.get(branch);
    const started = before === undefined ? begin(options) : before.then(() => begin(options));
    const settled = started.catch(() => undefined);
    queues.set(branch, settled);
    void settled.then(() => queues.get(branch) === settled && queues.delete(branch));
    return started;
  };
  return async (request) => {
    const options = checkStart(request, services.clock.now());
    const isQueued = (options.whenActive ?? starter.whenActive) === "queue";
    // Registered for the whole start, so that the signal has one listener for everything that waits for it here.
    const release = options.signal && onAbort(options.signal, () => {});
    try {
      return await (isQueued ? beginInTurn(options) : begin(options));
    } finally {
      release?.();
    }
  };
}

interface InputOf {
  services: EngineServices;
  profile: ValidProfile | undefined;
  /** If undefined, a new id is created. */
  userMessageId: string | undefined;
}

function inputOf(options: StartRequest, of: InputOf): RunInput {
  const { trigger, chatId, branchId, message, initiator, deadlineAt, timeoutMs, turn } = options;
  const { services, profile, userMessageId = services.ids.next() } = of;
  const startedAt = services.clock.now();
  return {
    formatVersion: 1,
    runId: services.ids.next(),
    chatId,
    branchId,
    trigger,
    userMessageId,
    assistantVariantId: services.ids.next(),
    startedAt,
    userMessage: message,
    profile,
    turn,
    initiator: initiator !== undefined ? safeText(initiator, maxInitiatorChars) : undefined,
    deadlineMs: timeoutMs === undefined ? deadlineAt : startedAt + timeoutMs,
    trace: currentTrace(),
  };
}

/** Loads the existing turn. */
async function knownTurn(
  { chatId, branchId, userMessageId, signal }: StartRequest,
  { chat }: EngineServices,
): Promise<string> {
  const at = { chatId, branchId, userMessageId, maxTurns: 1 };
  const turn = await chat.loadTurn(at, signal && { signal });
  if (turn !== undefined) return turn.userMessageId;
  const which =
    userMessageId === undefined
      ? "no turn yet"
      : `no user message ${JSON.stringify(userMessageId)}`;
  throw new OperationsError(
    "unknown_turn",
    `The branch ${JSON.stringify(branchId)} of chat ${JSON.stringify(chatId)} has ${which}.`,
  );
}

// How long a client's request id is remembered.
const requestKeptMs = 24 * 60 * 60 * 1_000;

function newRun(
  input: RunInput,
  options: StartRequest,
  at: { services: EngineServices; owner: string },
): NewRun {
  const { clock, limits } = at.services;
  const nowMs = clock.now();
  const { clientRequestId } = options;
  const lease = { owner: at.owner, ttlMs: limits.leaseMs, nowMs };
  if (clientRequestId === undefined) return { input, lease };
  const keptUntilMs = nowMs + requestKeptMs;
  return {
    input,
    lease,
    clientRequest: { clientRequestId, payloadHash: payloadHash(options), keptUntilMs },
  };
}

function runActive(runId: string): OperationsError {
  const message = `Run ${runId} is active on the branch; wait for it or abort it.`;
  return new OperationsError("run_active", message, { details: { runId } });
}

/** Creates the error. The executor may have accepted the run anyway, so the run stays. */
function notSubmitted(runId: string, cause: unknown): OperationsError {
  const message = `The run ${runId} is stored, but its executor did not accept it: ${messageOf(cause)} Resume it.`;
  const code = OperationsError.isInstance(cause) ? cause.code : "unavailable";
  return new OperationsError(code, safeText(message, 512), { cause, details: { runId } });
}

function payloadConflict({ clientRequestId }: StartOptions, runId: string): OperationsError {
  const message = `The request id ${JSON.stringify(clientRequestId)} belongs to run ${runId}, which was started with other options; use a new id.`;
  return new OperationsError("idempotency_conflict", message, { details: { runId } });
}

/** Settles as the creation does. If the creation hangs, rejects after the abort's grace period. */
function untilAbandoned(
  creating: Promise<RunCreation>,
  signal: AbortSignal | undefined,
  { clock, limits }: EngineServices,
): Promise<RunCreation> {
  if (signal === undefined) return creating;
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const forget = onAbort(signal, () => {
      cancel = clock.schedule(limits.graceMs, () => {
        const message = "The start was aborted, and the run store has not answered since.";
        reject(new OperationsError("aborted", message, { cause: signal.reason }));
      });
    });
    const end = (): void => {
      forget();
      cancel();
    };
    creating.finally(end).then(resolve, reject);
  });
}

/** Aborts the run when the signal aborts. */
function abortWith(live: LiveRun, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  if (signal.aborted) live.abort();
  else void live.result.then(onAbort(signal, () => live.abort()));
}
