import { join, resolve } from "node:path";

import { resolveInside } from "@ccl/core/node";

import {
  applyMemoryPatch,
  type MemoryPatchOutcome,
  readMemory,
} from "../../memory/apply-memory-patch.ts";
import type { PlanMemory } from "../../memory/plan-memory.ts";
import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { MemorySource } from "../../session/plan-session.ts";
import type { Abortable } from "../../workspace/plan-workspace.ts";
import { readJsonFile, updateJsonFile } from "./json-file.ts";

/** Where memory is stored. */
export interface MemoryFilesOptions {
  /** The folder of one person's preferences, outside of any project. Holds `preferences.json`. */
  userDirectory: string;
  /** The project's root. Holds `.ccl/project.json`. */
  root: string;
}

/** Memory in two files. Pass it to a session as its `memory`. */
export interface MemoryFiles extends MemorySource {
  readonly userFile: string;
  readonly projectFile: string;
  /**
   * The valid part of both files.
   * @throws PlanProtocolError `memory_corrupt`, `io_failed`, `invalid_input` for a link out of the project, `aborted`
   */
  read(options?: Abortable): Promise<PlanMemory>;
  /** The same, with every key that is unknown or has a value of the wrong kind. */
  inspect(options?: Abortable): Promise<MemoryPatchOutcome>;
  /**
   * Sets the valid keys of a patch and durably writes the files that change. The rest of the files stays unchanged.
   * Call it only if the user agreed. Processes that patch the same files wait for each other.
   * @throws PlanProtocolError as `read`, and `workspace_busy`
   */
  patch(patch: Readonly<Record<string, unknown>>, options?: Abortable): Promise<MemoryPatchOutcome>;
}

/** Creates memory over its files. Does no I/O before the first call. */
export function createMemoryFiles({ userDirectory, root }: MemoryFilesOptions): MemoryFiles {
  const userFile = join(resolve(userDirectory), "preferences.json");
  const projectFile = join(resolve(root), ".ccl", "project.json");
  const inspect = async ({ signal }: Abortable = {}): Promise<MemoryPatchOutcome> => {
    const user = await readJsonFile(userFile, signal);
    return readMemory(user, await readJsonFile(await placeIn(root), signal));
  };
  return {
    userFile,
    projectFile,
    inspect,
    read: async (options) => (await inspect(options)).memory,
    async patch(patch, { signal } = {}) {
      // Nothing is written if one of the files is not valid JSON.
      await inspect({ signal });
      const { memory, applied, rejected } = applyMemoryPatch({ user: {}, project: {} }, patch);
      const { user, project } = memory;
      if (Object.keys(user).length > 0)
        await updateJsonFile(userFile, { isPrivate: true, signal }, { ...user });
      if (Object.keys(project).length > 0)
        await updateJsonFile(await placeIn(root), { isPrivate: false, signal }, { ...project });
      return { memory: (await inspect({ signal })).memory, applied, rejected };
    },
  };
}

/** The real path of the project's file. A link at `.ccl` must not lead out of the project. */
async function placeIn(root: string): Promise<string> {
  const place = await resolveInside(root, ".ccl/project.json");
  if (place.ok) return place.value.absolutePath;
  const message = place.issues.map((issue) => issue.message).join(" ");
  throw new PlanProtocolError(
    "invalid_input",
    `The project's memory cannot be kept in ${root}: ${message}`,
  );
}
