import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";

import { truncateMiddle } from "@ccl/core";
import { onAbort } from "@ccl/core/async";
import { systemCode } from "@ccl/core/node";

import { quote } from "../../plan-issue.ts";
import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import type { CheckOptions, CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { createBoundedOutput } from "./bounded-output.ts";
import { findingsOf, newFindings } from "./findings-of.ts";
import { CHECK_VARIABLE, endTree, signalGroup } from "./process-tree.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const SHOWN_CHARACTERS = 8_000;

/** Time a command has to exit after being asked to. */
const GRACE_MS = 1_000;

/** The findings in failed checks' outputs, if they can be compared with another run. */
const findingsIn = new WeakMap<CheckOutcome, ReadonlyMap<string, number>>();

/** How to run checks after a change. */
export interface AfterChange {
  /** Their outcomes before the change. Empty if they did not run. */
  before: readonly CheckOutcome[];
  mayFail: boolean;
}

/**
 * Runs checks on the current files: all of them, or after a change up to the first failure that did not occur before.
 * @throws PlanProtocolError `invalid_input` for a check that cannot be started, unless it is run after a change
 */
export async function runChecks(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  { after, ...options }: CheckOptions & { after?: AfterChange | undefined },
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  const mustStart = after === undefined;
  for (const [index, check] of checks.entries()) {
    const outcome = await runCheck(parts, check, { ...options, mustStart });
    const judged = after === undefined ? outcome : comparedTo(after, index, outcome);
    outcomes.push(judged);
    if (after !== undefined && isFailed(judged)) break;
  }
  return outcomes;
}

/** True if a check failed, and not just as it did before the change. */
export function isFailed({ status }: CheckOutcome): boolean {
  return status === "failed" || status === "timed_out";
}

/**
 * Returns a check that failed before the change and so protects nothing: it timed out, was not found, or printed no
 * comparable findings.
 */
export function uselessCheck(before: readonly CheckOutcome[]): CheckOutcome | undefined {
  return before.find((outcome) => isFailed(outcome) && findingsIn.get(outcome) === undefined);
}

function comparedTo(
  { before, mayFail }: AfterChange,
  index: number,
  outcome: CheckOutcome,
): CheckOutcome {
  const old = before[index];
  if (!isFailed(outcome) || old === undefined || !isFailed(old)) return outcome;
  const [then, now] = [findingsIn.get(old), findingsIn.get(outcome)];
  const isCompared = then !== undefined && now !== undefined;
  const newFailures = isCompared ? newFindings(then, now).sort() : [];
  if (newFailures.length > 0) return { ...outcome, newFailures };
  return isCompared || mayFail ? { ...outcome, status: "failed_before" } : outcome;
}

/**
 * Runs one check to completion, then kills any processes it left behind.
 * @throws PlanProtocolError `aborted`, or with `mustStart` `invalid_input` for a command that cannot be started
 */
async function runCheck(
  parts: WorkspaceParts,
  check: PlanCheck,
  {
    shortenOutput = (output) => truncateMiddle(output, { maxChars: SHOWN_CHARACTERS }).text,
    signal,
    mustStart,
  }: CheckOptions & { mustStart: boolean },
): Promise<CheckOutcome> {
  assertNotAborted(signal);
  const { name, command } = check;
  const collected = createBoundedOutput();
  const startedMs = parts.clock.now();
  const ending = await runToEnd(check, parts.rootPath, collected.add, signal);
  const { exitCode, startError, endedBy } = ending;
  if (endedBy === "abort") assertNotAborted(signal);
  // A command that does not exist never passes, so it could never cause a rollback. This must be a caller's error.
  if (startError !== undefined && mustStart)
    throw new PlanProtocolError(
      "invalid_input",
      `The check ${quote(name)} runs ${quote(command[0])}, which could not be started (${startError}).`,
    );
  const { text, isWhole } = collected.end();
  const output =
    startError === undefined
      ? shortenOutput(text)
      : `${command[0]} could not be started (${startError}).`;
  const durationMs = parts.clock.now() - startedMs;
  const isPassed = exitCode === 0 && endedBy === undefined;
  const status = isPassed ? "passed" : endedBy === "timeout" ? "timed_out" : "failed";
  const outcome: CheckOutcome = { name, status, exitCode, output, durationMs };
  // A shell exits with 126 or 127 if it cannot run or find a command.
  const isRun = status === "failed" && exitCode !== 126 && exitCode !== 127;
  const findings = findingsOf(isRun && isWhole ? text : "");
  if (findings.size > 0) findingsIn.set(outcome, findings);
  return outcome;
}

interface Ending {
  exitCode?: number | undefined;
  /** Why the command could not start. */
  startError?: string | undefined;
  endedBy?: "timeout" | "abort" | undefined;
}

async function runToEnd(
  check: PlanCheck,
  root: string,
  add: (bytes: Uint8Array) => void,
  signal: AbortSignal | undefined,
): Promise<Ending> {
  const run = randomUUID();
  const [program, ...args] = check.command;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, [CHECK_VARIABLE]: run },
    stdio: ["ignore", "pipe", "pipe"],
    // The check gets its own process group, so that the whole group can be killed.
    detached: process.platform !== "win32",
  });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, "error");
    return { startError: systemCode(error) ?? "unknown" };
  }
  const ending: Ending = {};
  let grace: NodeJS.Timeout | undefined;
  const end = (by: "timeout" | "abort"): void => {
    if (ending.endedBy !== undefined) return;
    ending.endedBy = by;
    signalGroup(pid, "SIGTERM");
    grace = setTimeout(() => endTree(pid, run), GRACE_MS);
  };
  const timer = setTimeout(() => end("timeout"), check.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const forget = signal && onAbort(signal, () => end("abort"));
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  child.once("exit", (exitCode) => {
    ending.exitCode = exitCode ?? undefined;
    // A leftover process would keep the output open and could still change files.
    endTree(pid, run);
  });
  await once(child, "close");
  clearTimeout(timer);
  clearTimeout(grace);
  forget?.();
  return ending;
}
