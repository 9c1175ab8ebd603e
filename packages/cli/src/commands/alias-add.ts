import { inputError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { printable } from "../output/printable.ts";
import { withProject } from "../project.ts";
import type { Session } from "../session.ts";

/** Names one file; `path` is relative to the root. */
export async function aliasAdd(
  session: Session,
  alias: string,
  path: string,
): Promise<CommandResult> {
  const { signal } = session;
  const added = await withProject(session, { persist: true }, (registry) =>
    registry.add(alias, path, { signal }),
  );
  if (!added.ok) throw inputError(added.issues);
  const entry = added.value;
  return { document: entry, text: () => `${entry.alias}@${entry.sha8} ${printable(entry.path)}\n` };
}
