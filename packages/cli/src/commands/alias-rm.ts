import { createContextFiles } from "@ccl/aliases";

import type { CommandResult } from "../output/command-result.ts";
import { withProject } from "../project.ts";
import type { Session } from "../session.ts";
import { resolveAlias } from "../resolve-alias.ts";

/** Forgets an alias and its card; the file itself stays. */
export async function aliasRemove(session: Session, alias: string): Promise<CommandResult> {
  await withProject(session, { persist: true }, async (registry) => {
    if (!(await registry.remove(alias))) await resolveAlias(registry, alias, session);
    await createContextFiles(registry).removeCard(alias, { signal: session.signal });
  });
  return { document: { alias, isRemoved: true }, text: () => `removed ${alias}\n` };
}
