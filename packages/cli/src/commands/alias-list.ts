import type { CommandResult } from "../output/command-result.ts";
import { renderTable } from "../output/table.ts";
import { withProject } from "../project.ts";
import type { Session } from "../session.ts";

/** Lists the project's aliases. */
export async function aliasList(session: Session): Promise<CommandResult> {
  const aliases = await withProject(session, { persist: false }, async (registry) =>
    registry.list(),
  );
  const rows = aliases.map(({ alias, sha8, path }) => [alias, sha8, path]);
  return {
    document: { aliases },
    text: (style) =>
      renderTable([{ title: "alias" }, { title: "sha8" }, { title: "path" }], rows, style),
  };
}
