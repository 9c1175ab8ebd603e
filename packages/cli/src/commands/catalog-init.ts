import { catalogFolder } from "../catalog/read-catalog.ts";
import type { CommandResult } from "../output/command-result.ts";
import { printable } from "../output/printable.ts";
import type { Session } from "../session.ts";

/** Makes an empty catalog; leaves an existing one as it is. */
export async function catalogInit(session: Session): Promise<CommandResult> {
  const folder = catalogFolder(session);
  const isNew = await folder.init(session);
  const place = printable(folder.path);
  return {
    document: { path: folder.path, isNew },
    text: ({ colours }) =>
      isNew
        ? `${colours.green("Set up")} ${place}.\nNext: "ccl catalog import --sql sqlite:<path>", or --openapi, --mcp, --files, --jsonl.\n`
        : `${place} is set up already. "ccl catalog import" reads its sources again.\n`,
  };
}
