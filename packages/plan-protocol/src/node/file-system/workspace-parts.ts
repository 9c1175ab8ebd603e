import type { Clock, IdGenerator } from "@ccl/core";

import type { PlanLimits } from "../../limits/plan-limits.ts";
import type { ReadFile } from "../../validate/valid-plan.ts";
import type { PlanPolicy } from "../../paths/path-allow-list.ts";
import type { Folder, OpenFile } from "./folder.ts";

/** `full`: what was committed outlives a power cut. `off`: only the death of the process. */
export type WorkspaceDurability = "full" | "off";

/** Files that are worked on at the same time. */
export const FILES_AT_ONCE = 8;

/** What the parts of an open workspace share. */
export interface WorkspaceParts {
  rootPath: string;
  root: Folder;
  /** Where the journals are; makes the folder. */
  openJournals(): Promise<Folder>;
  /** The same without making it: undefined where there was never a transaction. */
  findJournals(): Promise<Folder | undefined>;
  /** Where the running transaction has a second journal while checks run; undefined where there is none. */
  openShelter(mayMake: boolean): Promise<Folder | undefined>;
  /** Removes that folder if it is empty. */
  removeShelter(): Promise<void>;
  /** The journals' folder as messages name it. */
  journalsName: string;
  durability: WorkspaceDurability;
  policy: PlanPolicy;
  limits: PlanLimits;
  clock: Clock;
  ids: IdGenerator;
  /** Runs work while no other one, of any process, has the lock in a folder. */
  withLock<Value>(
    folder: Folder,
    signal: AbortSignal | undefined,
    work: () => Promise<Value>,
  ): Promise<Value>;
  readSet: Map<string, ReadFile>;
  /** Why files that were asked for could not be read. */
  unread: Map<string, string>;
}

/** Makes a file or the names in a folder durable, as far as the workspace promises that. */
export async function syncIn(
  parts: Pick<WorkspaceParts, "durability">,
  ...places: (Folder | OpenFile)[]
): Promise<void> {
  if (parts.durability !== "full") return;
  // All at once, as the system then writes them together; and to the end, as a number that is closed may be another's.
  const outcomes = await Promise.allSettled(places.map((place) => place.sync()));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
