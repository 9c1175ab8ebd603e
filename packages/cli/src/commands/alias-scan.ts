import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { describeSkipped, scanWithProgress, withProject } from "../project.ts";
import type { Session } from "../session.ts";

/** Brings the registry up to the disk. */
export async function aliasScan(session: Session): Promise<CommandResult> {
  const report = await withProject(session, { persist: true }, (registry) =>
    scanWithProgress(registry, session),
  );
  const { entries, added, updated, moved, removed, skipped } = report;
  const changes = [
    ...added.map((alias) => `+ ${alias}`),
    ...updated.map((alias) => `~ ${alias}`),
    ...moved.map((alias) => `> ${alias}`),
    ...removed.map((alias) => `- ${alias}`),
  ];
  return {
    document: { total: entries.length, added, updated, moved, removed, skipped },
    text: () => changes.map((line) => `${line}\n`).join(""),
    note: () =>
      [
        `${formatCount(entries.length, "alias")}: ${added.length} added, ${updated.length} updated, ${moved.length} moved, ${removed.length} removed`,
        describeSkipped(report),
      ]
        .filter((line) => line !== undefined)
        .map((line) => `${line}\n`)
        .join(""),
  };
}
