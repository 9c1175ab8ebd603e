import {
  defaultPlanLimits,
  type PlanLimits,
  type PlanPolicy,
  readPathAllowList,
} from "@ccl/plan-protocol";
import type { FileWorkspace } from "@ccl/plan-protocol/node";
import { parseJson } from "@ccl/core/json";

import { requireValid, usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { readInput } from "./read-input.ts";

/** Flags that limit what a plan may change, and how much. */
export interface WorkspaceFlags {
  /** A file in the documented format: `allowed_extensions`, `forbidden_paths` and the like. */
  allowList?: string | undefined;
  /** Entries `name=number`. Each overrides a default. */
  limit?: string[] | undefined;
}

/** A workspace with the policy and limits that it was opened with. */
export interface OpenedWorkspace extends FileWorkspace {
  policy: PlanPolicy;
  limits: Partial<PlanLimits>;
}

/** Runs `work` on the session's folder as a workspace, then closes it. */
export async function withWorkspace<T>(
  session: Session,
  flags: WorkspaceFlags,
  work: (workspace: OpenedWorkspace) => Promise<T>,
): Promise<T> {
  const { openWorkspace } = await import("@ccl/plan-protocol/node");
  const { version, platform, arch } = process;
  const limits = readLimits(flags.limit ?? []);
  const policy = await readPolicy(session, flags.allowList);
  const workspace = await openWorkspace({
    root: session.root,
    env: async () => `node ${version} on ${platform} ${arch}`,
    policy,
    limits,
  });
  try {
    return await work({ ...workspace, policy, limits });
  } finally {
    await workspace.close();
  }
}

async function readPolicy(session: Session, file: string | undefined): Promise<PlanPolicy> {
  if (file === undefined) return {};
  const text = await readInput(session, file, "an allow list");
  return { allowList: requireValid(readPathAllowList(parseJson(text))) };
}

function readLimits(given: readonly string[]): Partial<PlanLimits> {
  const limits: Partial<PlanLimits> = {};
  for (const text of given) {
    const [, name = "", number = ""] = /^(\w+)=(\d{1,12})$/.exec(text) ?? [];
    if (!isLimit(name))
      throw usageError(
        `--limit ${text} is invalid. Write NAME=NUMBER with one of these names: ${Object.keys(defaultPlanLimits).join(", ")}.`,
      );
    limits[name] = Number(number);
  }
  return limits;
}

function isLimit(name: string): name is keyof PlanLimits {
  return Object.hasOwn(defaultPlanLimits, name);
}
