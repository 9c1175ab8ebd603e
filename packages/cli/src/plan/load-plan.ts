import { editedPaths, type PlanVersion, type ValidPlan } from "@ccl/plan-protocol";
import type { FileWorkspace } from "@ccl/plan-protocol/node";

import { usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { planFailure } from "./plan-failure.ts";
import { readInput } from "./read-input.ts";
import type { WorkspaceFlags } from "./with-workspace.ts";
import { readSavedChange } from "./saved-plan.ts";

/** Flags of every command that takes a plan. */
export interface PlanInputFlags extends WorkspaceFlags {
  /** Rejects a plan of another version. */
  schemaVersion?: PlanVersion | undefined;
}

/**
 * Loads the plan from a file, stdin or the last `ccl gen`, in any edit format, checked against the files that it names.
 */
export async function loadPlan(
  session: Session,
  workspace: FileWorkspace,
  { file, flags }: { file: string | undefined; flags: PlanInputFlags },
): Promise<ValidPlan> {
  const answer = await answerIn(session, file);
  const requests = editedPaths(answer).map((path) => ({ type: "read_file" as const, path }));
  const { issues } = await workspace.read(requests, session);
  const valid = workspace.propose(answer, { version: flags.schemaVersion });
  if (valid.ok) return valid.value.plan;
  // The message already says why a file could not be read. Its code must say the same.
  const codes = new Map(issues.map(({ code, message }) => [message, code]));
  throw planFailure(
    valid.issues.map((issue) => ({ ...issue, code: codes.get(issue.message) ?? issue.code })),
  );
}

/** Reads the answer. Without a file or piped input, this is the last change of `ccl gen`. */
async function answerIn(session: Session, file: string | undefined): Promise<string> {
  const { stdin } = session.terminal;
  const isPiped = stdin.isTTY !== true && stdin[Symbol.asyncIterator] !== undefined;
  const given = file !== undefined || isPiped ? await readInput(session, file, "a plan") : "";
  if (file !== undefined || given.trim() !== "") return given;
  const saved = await readSavedChange(session);
  if (saved !== undefined) return saved;
  throw usageError("Name a file with a plan or pipe one in. ccl gen has saved none here.");
}
