import type { Clock, IdGenerator } from "@ccl/core";

import type { PlanLimits } from "../../limits/plan-limits.ts";
import type { ReadFile } from "../../validate/valid-plan.ts";
import type { PlanPolicy } from "../../paths/path-allow-list.ts";
import type { Folder, OpenFile } from "./folder.ts";

/** `full`: a commit survives a power failure. `off`: it survives only a process crash. */
export type WorkspaceDurability = "full" | "off";

/** Number of files processed concurrently. */
export const FILES_AT_ONCE = 8;

/** Context sources other than the workspace's files. */
export interface ContextPorts {
  /** Returns the last lines of a log source. `lastN` is undefined if the model gave no number. */
  logs?:
    | ((
        source: string,
        lastN: number | undefined,
        signal: AbortSignal | undefined,
      ) => Promise<string>)
    | undefined;
  env?: ((signal: AbortSignal | undefined) => Promise<string>) | undefined;
}

/** State shared by the parts of an open workspace. */
export interface WorkspaceParts extends ContextPorts {
  rootPath: string;
  root: Folder;
  durability: WorkspaceDurability;
  policy: PlanPolicy;
  limits: PlanLimits;
  clock: Clock;
  ids: IdGenerator;
  /** Runs work while holding the lock in a folder, which excludes all other processes. */
  withLock<Value>(
    folder: Folder,
    signal: AbortSignal | undefined,
    work: () => Promise<Value>,
  ): Promise<Value>;
  readSet: Map<string, ReadFile>;
  /** Requested files that could not be read, with the reason. */
  unread: Map<string, string>;
}

/** Syncs files or folders if the workspace guarantees durability. */
export async function syncIn(
  parts: Pick<WorkspaceParts, "durability">,
  ...places: (Folder | OpenFile)[]
): Promise<void> {
  if (parts.durability !== "full") return;
  // Syncs in parallel, since the system then batches writes. Waits for all, since a closed descriptor may be reused.
  const outcomes = await Promise.allSettled(places.map((place) => place.sync()));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** Creates a file that is durable on return. `finish` sets its attributes. The places in `before` are synced too. */
export async function writeNewFile(
  parts: Pick<WorkspaceParts, "durability">,
  folder: Folder,
  {
    name,
    content,
    mode = 0o600,
    finish,
    before = [],
  }: {
    name: string;
    content: Uint8Array | string;
    mode?: number | undefined;
    finish?: ((file: OpenFile) => Promise<void>) | undefined;
    before?: readonly Folder[] | undefined;
  },
): Promise<void> {
  const file = await folder.createFile(name, mode);
  try {
    await file.write(typeof content === "string" ? new TextEncoder().encode(content) : content);
    await finish?.(file);
    await syncIn(parts, file, ...before);
  } finally {
    await file.close();
  }
}
