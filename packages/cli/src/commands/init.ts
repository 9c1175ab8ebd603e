import { join } from "node:path";

import { openAliasRegistry } from "@ccl/aliases";

import { CliError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount, lineOf } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import { describeSkipped, hasRegistry, scanWithProgress, withScan } from "../project.ts";
import { canAsk, type Session } from "../session.ts";

/** Sets up the folder of context files and names the project's files; leaves an existing registry as it is. */
export async function init(
  session: Session,
  flags: { yes?: boolean | undefined },
): Promise<CommandResult> {
  const { root, directory } = session;
  const place = printable(join(root, directory));
  if (hasRegistry(session)) {
    return {
      document: { root, directory, isNew: false },
      text: () => `${place} is set up already. "ccl alias scan" names files that are new.\n`,
    };
  }
  const isAsked = flags.yes !== true && canAsk(session) && !session.terminal.env["CI"];
  if (isAsked && !(await confirm(session, place))) {
    return {
      document: { root, directory, isNew: false },
      note: () => "Nothing was written.\n",
    };
  }
  const registry = await openAliasRegistry({ root, directory });
  try {
    const report = await scanWithProgress(registry, session);
    const { added, skipped } = report;
    return {
      document: { root, directory, isNew: true, added, skipped },
      text: ({ colours }) =>
        `${colours.green("Set up")} ${place}: ${formatCount(added.length, "file")} named in aliases.json.\n` +
        lineOf(describeSkipped(report)) +
        'Next: "ccl pack --task <what to do>" prints the project as a prompt.\n',
    };
  } finally {
    await registry.close();
  }
}

async function confirm(session: Session, place: string): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  const count = await withScan(session, {}, async (_, scan) => scan.entries.length);
  const message = `Name ${formatCount(count, "file")} in ${place}?`;
  const answer = await prompts.confirm({ message, signal: session.signal });
  if (prompts.isCancel(answer)) throw new CliError("aborted", "Nothing was written.");
  return answer;
}
