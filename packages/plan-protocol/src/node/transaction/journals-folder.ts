import { join } from "node:path";

import { systemCode, unless } from "@ccl/core/node";

import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { Folder } from "../file-system/folder.ts";
import { type WorkspaceParts, writeNewFile } from "../file-system/workspace-parts.ts";

/** Opens the folder of journals, creating it if needed. Does not follow links. */
export function openJournals(parts: WorkspaceParts): Promise<Folder> {
  const create = async (folder: Folder, name: string): Promise<Folder> => {
    if ((await folder.status(name)) === undefined) {
      await unless(["EEXIST"], folder.makeFolder(name), undefined);
      if (parts.durability === "full") await folder.sync();
    }
    return folder.openFolder(name);
  };
  return withReason(parts, openBelow(parts, create, ignoreInGit));
}

/** Opens the folder without creating it. Undefined if there has never been a transaction. */
export function findJournals(parts: WorkspaceParts): Promise<Folder | undefined> {
  const opening = openBelow(parts, (folder, name) => folder.openFolder(name));
  return withReason(parts, unless(["ENOENT"], opening, undefined));
}

/** Returns the journal folder named in messages. */
export function journalsPath({ rootPath }: WorkspaceParts): string {
  return join(rootPath, ".ccl", "transactions");
}

async function openBelow(
  { root }: WorkspaceParts,
  open: (folder: Folder, name: string) => Promise<Folder>,
  prepare?: (journals: Folder) => Promise<void>,
): Promise<Folder> {
  const own = await open(root, ".ccl");
  const journals = await open(own, "transactions").finally(() => own.close());
  try {
    // Files are renamed between these two.
    const [above, below] = await Promise.all([root.ownStatus(), journals.ownStatus()]);
    if (above.device !== below.device)
      throw Object.assign(new Error("Another file system."), { code: "EXDEV" });
    await prepare?.(journals);
    return journals;
  } catch (error) {
    await journals.close();
    throw error;
  }
}

/** Backups contain file content. This keeps a careless `git add` from committing them. */
async function ignoreInGit(journals: Folder): Promise<void> {
  const name = ".gitignore";
  if ((await journals.status(name)) !== undefined) return;
  const written = writeNewFile({ durability: "off" }, journals, {
    name,
    content: "*\n",
    mode: 0o644,
  });
  await unless(["EEXIST"], written, undefined);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: "it is a link or a file",
  ELOOP: "it is a link or a file",
  EXDEV: "it is on another file system, and no file of the root can be moved there",
};

/** Converts an error opening the folder to one that says why. */
function withReason<Opened>(parts: WorkspaceParts, opening: Promise<Opened>): Promise<Opened> {
  return opening.catch((cause: unknown) => {
    const code = systemCode(cause) ?? "unexpected";
    const message = `Journals cannot be stored in "${journalsPath(parts)}": ${REASONS[code] ?? code}.`;
    throw new PlanProtocolError("journal_unusable", message, { cause });
  });
}
