import { join } from "node:path";

import { ask, canAsk } from "../output/ask.ts";
import { formatCount, lineOf, printable } from "../output/text.ts";
import {
  describeSkipped,
  hasRegistry,
  scanWithProgress,
  withRegistry,
  withScan,
} from "../project.ts";
import type { CommandResult, Session } from "../session.ts";

/** Creates the folder of context files and names the project's files. Does not change an existing registry. */
export async function init(
  session: Session,
  flags: { yes?: boolean | undefined },
): Promise<CommandResult> {
  const { root, directory } = session;
  const place = printable(join(root, directory));
  if (hasRegistry(session)) {
    return {
      document: { root, directory, isNew: false },
      text: `${place} is already set up. "ccl alias scan" names new files.\n`,
    };
  }
  if (canAsk(session) && !flags.yes) {
    const count = await withScan(session, {}, async (_, scan) => scan.entries.length);
    await ask(session, `Name ${formatCount(count, "file")} in ${place}?`);
  }
  return withRegistry(session, true, async (registry) => {
    const report = await scanWithProgress(registry, session);
    const { added, skipped } = report;
    return {
      document: { root, directory, isNew: true, added, skipped },
      text: ({ colours }) =>
        `${colours.green("Set up")} ${place}: ${formatCount(added.length, "file")} named in aliases.json.\n` +
        lineOf(describeSkipped(report)) +
        'Next: "ccl pack --task <what to do>" prints the project as a prompt.\n',
    };
  });
}
