import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";

import { truncateMiddle } from "@ccl/core";
import { onAbort } from "@ccl/core/async";
import { resolveInside, systemCode } from "@ccl/core/node";

import { quote } from "../../plan-issue.ts";
import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import type { CheckOptions, CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { createBoundedOutput } from "./bounded-output.ts";
import { findingsOf } from "./findings-of.ts";
import { CHECK_VARIABLE, endTree, signalGroup } from "./process-tree.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const SHOWN_CHARACTERS = 8_000;

/** Time a command has to exit after being asked to. */
const GRACE_MS = 1_000;

interface Ending {
  exitCode?: number | undefined;
  /** Why the command could not start. */
  startError?: string | undefined;
  endedBy?: "timeout" | "abort" | undefined;
}

const comparable = new WeakMap<CheckOutcome, ReadonlyMap<string, number>>();

/** Returns the findings in a failed check's output, or undefined if they cannot be compared with another run. */
export function findingsIn(outcome: CheckOutcome): ReadonlyMap<string, number> | undefined {
  return comparable.get(outcome);
}

/**
 * Runs one check to completion, then kills any processes it left behind.
 * @throws PlanProtocolError `aborted`, or `invalid_input` for a folder outside the root and, with `mustStart`, for a
 * command that cannot be started
 */
export async function runCheck(
  parts: WorkspaceParts,
  check: PlanCheck,
  { shortenOutput = headAndTail, signal, mustStart }: CheckOptions & { mustStart: boolean },
): Promise<CheckOutcome> {
  assertNotAborted(signal);
  const { name, command } = check;
  const place = await resolveInside(parts.rootPath, check.directory ?? ".");
  if (!place.ok)
    throw new PlanProtocolError(
      "invalid_input",
      `The check ${quote(name)}: ${place.issues[0]?.message ?? ""}`,
    );
  const collected = createBoundedOutput();
  const startedMs = parts.clock.now();
  const directory = place.value.absolutePath;
  const ending = await runToEnd(check, { directory, signal, add: collected.add });
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
  if (findings.size > 0) comparable.set(outcome, findings);
  return outcome;
}

function headAndTail(output: string): string {
  return truncateMiddle(output, { maxChars: SHOWN_CHARACTERS }).text;
}

interface RunContext {
  directory: string;
  signal: AbortSignal | undefined;
  add(bytes: Uint8Array): void;
}

async function runToEnd(check: PlanCheck, { directory, signal, add }: RunContext): Promise<Ending> {
  const run = randomUUID();
  const [program, ...args] = check.command;
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...check.env, [CHECK_VARIABLE]: run },
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
