import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

import { truncateMiddle } from "@ccl/core";
import { resolveInside, systemCode } from "@ccl/core/node";

import { quote } from "../../plan-issue.ts";
import type { CheckOptions, CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { createBoundedOutput } from "./bounded-output.ts";
import { findingsOf } from "./findings-of.ts";
import { CHECK_VARIABLE, endTree, signalGroup } from "./process-tree.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const SHOWN_CHARACTERS = 8_000;

/** Time a command has to exit after being asked to. */
const GRACE_MS = 1_000;

/** A check's outcome, with data used only to compare it with another run. */
export interface CheckRun extends CheckOutcome {
  /** Why the command could not start. */
  startError?: string | undefined;
  /** The findings in the output. Undefined if part of the output was dropped. */
  findings?: ReadonlyMap<string, number> | undefined;
}

interface Ending {
  exitCode?: number | undefined;
  /** Why the command could not start. */
  startError?: unknown;
  endedBy?: "timeout" | "abort" | undefined;
}

/**
 * Runs one check to completion, then kills any processes it left behind.
 * @throws PlanProtocolError `aborted`, or `invalid_input` for a folder outside the root
 */
export async function runCheck(
  parts: WorkspaceParts,
  check: PlanCheck,
  options: CheckOptions = {},
): Promise<CheckRun> {
  assertNotAborted(options.signal);
  const place = await resolveInside(parts.rootPath, check.directory ?? ".");
  if (!place.ok)
    throw new PlanProtocolError(
      "invalid_input",
      `The check ${quote(check.name)}: ${place.issues[0]?.message ?? ""}`,
    );
  const output = createBoundedOutput();
  const startedMs = parts.clock.now();
  const ending = await runToEnd(check, {
    directory: place.value.absolutePath,
    signal: options.signal,
    add: output.add,
  });
  if (ending.endedBy === "abort") assertNotAborted(options.signal);
  const isPassed = ending.exitCode === 0 && ending.endedBy === undefined;
  const { text, whole } = output.end();
  const startError =
    ending.startError === undefined ? undefined : (systemCode(ending.startError) ?? "unknown");
  return {
    name: check.name,
    status: isPassed ? "passed" : ending.endedBy === "timeout" ? "timed_out" : "failed",
    exitCode: ending.exitCode,
    output:
      startError === undefined
        ? (options.shortenOutput ?? headAndTail)(text)
        : `${check.command[0]} could not be started (${startError}).`,
    durationMs: parts.clock.now() - startedMs,
    startError,
    findings: whole === undefined ? undefined : findingsOf(whole),
  };
}

function headAndTail(output: string): string {
  return truncateMiddle(output, { maxChars: SHOWN_CHARACTERS }).text;
}

interface RunContext {
  directory: string;
  signal: AbortSignal | undefined;
  add(bytes: Uint8Array): void;
}

function runToEnd(check: PlanCheck, { directory, signal, add }: RunContext): Promise<Ending> {
  const run = randomUUID();
  const [program, ...args] = check.command;
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...check.env, [CHECK_VARIABLE]: run },
    stdio: ["ignore", "pipe", "pipe"],
    // The check gets its own process group, so that the whole group can be killed.
    detached: process.platform !== "win32",
  });
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  return new Promise((resolve) => {
    const ending: Ending = {};
    let grace: NodeJS.Timeout | undefined;
    const end = (by: "timeout" | "abort"): void => {
      if (child.pid === undefined || ending.endedBy !== undefined) return;
      ending.endedBy = by;
      signalGroup(child.pid, "SIGTERM");
      grace = setTimeout(() => endTree(child.pid ?? 0, run), GRACE_MS);
    };
    const timer = setTimeout(() => end("timeout"), check.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const onAbort = (): void => end("abort");
    signal?.addEventListener("abort", onAbort, { once: true });
    const finish = (): void => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener("abort", onAbort);
      resolve(ending);
    };
    child.once("error", (startError) => {
      if (child.pid !== undefined) return;
      ending.startError = startError;
      finish();
    });
    child.once("exit", (exitCode) => {
      if (exitCode !== null) ending.exitCode = exitCode;
      // A leftover process would keep the output open and could still change files.
      if (child.pid !== undefined) endTree(child.pid, run);
    });
    child.once("close", finish);
  });
}
