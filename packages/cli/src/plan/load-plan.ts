import { parsePlan, type PlanVersion, validatePlan, type ValidPlan } from "@ccl/plan-protocol";
import type { FileWorkspace } from "@ccl/plan-protocol/node";

import type { Session } from "../session.ts";
import { planFailure } from "./plan-failure.ts";
import { readInput } from "./read-input.ts";

/** Flags of every command that takes a plan. */
export interface PlanInputFlags {
  /** Refuses a plan of another version. */
  schemaVersion?: PlanVersion | undefined;
}

/** More at a time are not answered. */
const MAX_READS = 64;

/** The plan in a file or on stdin, as a model wrote it, checked against the files that it names. */
export async function loadPlan(
  session: Session,
  workspace: FileWorkspace,
  { file, flags }: { file: string | undefined; flags: PlanInputFlags },
): Promise<ValidPlan> {
  const parsed = parsePlan(await readInput(session, file, "a plan"), versionOf(flags));
  if (!parsed.ok) throw planFailure(parsed.issues);
  const { signal } = session;
  const named = parsed.value.actions.filter(
    ({ kind }) => kind.endsWith("_FILE") && !kind.startsWith("CREATE"),
  );
  const requests = named.map(({ path }) => ({ type: "read_file" as const, path }));
  for (let at = 0; at < requests.length; at += MAX_READS)
    await workspace.read(requests.slice(at, at + MAX_READS), { signal });
  const valid = validatePlan(parsed.value, { mode: "apply", readSet: workspace.readSet });
  if (!valid.ok) throw planFailure(valid.issues);
  return valid.value;
}

/** The version that a plan has to be of, where the flags say one. */
export function versionOf({ schemaVersion }: PlanInputFlags): {
  version?: PlanVersion | undefined;
} {
  return schemaVersion === undefined ? {} : { version: schemaVersion };
}
