import { realpath } from "node:fs/promises";
import { join } from "node:path";

import { systemCode } from "@ccl/core/node";
import { type Clock, createUuidV7Generator, type IdGenerator, systemClock } from "@ccl/core";

import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import { PlanProtocolError } from "../plan-protocol-error.ts";
import type { PlanPolicy } from "../paths/path-allow-list.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { createWorkspace } from "./create-workspace.ts";
import type { Folder } from "./file-system/folder.ts";
import { openFolderAt, pathIn } from "./file-system/node-folder.ts";
import { findJournals, journalsPath } from "./transaction/journals-folder.ts";
import { findUnfinished } from "./transaction/recover.ts";
import { withLockFile } from "./lock/with-lock-file.ts";
import type {
  ContextPorts,
  WorkspaceDurability,
  WorkspaceParts,
} from "./file-system/workspace-parts.ts";

/** How a workspace is opened. */
export interface OpenWorkspaceOptions extends ContextPorts {
  /** An existing folder. The path may contain a link. */
  root: string;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  clock?: Clock | undefined;
  ids?: IdGenerator | undefined;
  /** Default `full`. */
  durability?: WorkspaceDurability | undefined;
}

/**
 * Opens a folder for plans. Does not recover automatically: `unfinished` lists the transactions that need recovery,
 * and `recover` undoes them.
 * @throws PlanProtocolError `workspace_unusable`, `invalid_input`
 */
export async function openWorkspace(options: OpenWorkspaceOptions): Promise<FileWorkspace> {
  const { root: givenRoot, clock = systemClock, logs, env } = options;
  if (givenRoot === "" || givenRoot.includes("\0"))
    throw new PlanProtocolError(
      "invalid_input",
      `The root ${JSON.stringify(givenRoot)} is not a valid path.`,
    );
  const { rootPath, root } = await openRoot(givenRoot);
  const parts: WorkspaceParts = {
    rootPath,
    root,
    durability: options.durability ?? "full",
    policy: options.policy ?? {},
    limits: { ...defaultPlanLimits, ...options.limits },
    clock,
    ids: options.ids ?? createUuidV7Generator({ clock }),
    withLock: async (journals, signal, work) =>
      withLockFile(
        await pathIn(journals, "lock"),
        { name: join(journalsPath(parts), "lock"), signal },
        work,
      ),
    readSet: new Map(),
    unread: new Map(),
    logs,
    env,
  };
  return createWorkspace(parts, await findUnfinishedIn(parts));
}

/** Ignores read errors. The call that needs the journal reports them. */
async function findUnfinishedIn(parts: WorkspaceParts): Promise<string[]> {
  const journals = await findJournals(parts).catch(() => undefined);
  if (journals === undefined) return [];
  return findUnfinished(journals)
    .catch(() => [])
    .finally(() => journals.close());
}

async function openRoot(givenRoot: string): Promise<{ rootPath: string; root: Folder }> {
  try {
    const rootPath = await realpath(givenRoot);
    return { rootPath, root: await openFolderAt(rootPath) };
  } catch (error) {
    const message = `The root "${givenRoot}" is not a folder that can be read (${systemCode(error) ?? "unexpected"}).`;
    throw new PlanProtocolError("workspace_unusable", message, { cause: error });
  }
}
