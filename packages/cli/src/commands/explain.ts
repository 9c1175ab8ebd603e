import type { Pack, PackEntry, PackOmission } from "@ccl/aliases";

import { buildProjectPack } from "../build-project-pack.ts";
import { findFocus } from "../find-focus.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatNumber } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import type { Style } from "../output/style.ts";
import { describeUnmatched } from "../pack-summary.ts";
import { narrowRegistry } from "../narrow-registry.ts";
import { applySettings, type ShapeFlags } from "../pack-shape.ts";
import { matchedPaths, withProjectOrScan } from "../project.ts";
import type { Session } from "../session.ts";

type Explained = PackEntry | PackOmission;

/** Says why files rank where they do for a task, and what a pack of the budget shows of them. Writes nothing. */
export async function explain(
  session: Session,
  names: string[],
  flags: ShapeFlags,
): Promise<CommandResult> {
  const shape = await applySettings(session, flags);
  const matched = await matchedPaths(session, shape);
  const { pack, aliases } = await withProjectOrScan(session, async (all) => {
    const registry = narrowRegistry(all, matched);
    return {
      aliases: new Set(findFocus(registry, names, { flag: "" })),
      pack: (await buildProjectPack(session, shape, { registry })).pack,
    };
  });
  const files = [...pack.entries, ...pack.omitted].filter(({ alias }) => aliases.has(alias));
  const total = pack.entries.length + pack.omitted.length;
  const { isMatched, unmatched } = pack;
  return {
    document: { files, total, isMatched, unmatched },
    text: (style) => files.map((file) => renderFile(file, { total, style })).join("\n"),
    note: () => warnUnmatched(pack, flags.task),
  };
}

function warnUnmatched(pack: Pack, task: string | undefined): string {
  const unmatched = task === undefined ? undefined : describeUnmatched(pack);
  return unmatched === undefined ? "" : `ccl: ${unmatched}\n`;
}

function renderFile(
  file: Explained,
  { total, style: { colours } }: { total: number; style: Style },
): string {
  const { alias, path, rank, score, matched = [], parts = {}, neighbour, commit, isInScope } = file;
  const shares = Object.entries(parts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, share]) => `${name} ${Math.round(share * 100)} %`);
  const rows: [title: string, text: string][] = [];
  if (rank !== undefined && score !== undefined)
    rows.push(["rank", `${rank} of ${total}, score ${score.toFixed(2)}: ${shares.join(", ")}`]);
  if (matched.length > 0) rows.push(["words", matched.join(" ")]);
  if (neighbour !== undefined) rows.push(["import", `beside ${neighbour}`]);
  if (commit !== undefined) rows.push(["history", commit]);
  if (isInScope === false) rows.push(["part", "not in the part that the task names first"]);
  rows.push(["pack", shownAs(file)]);
  const lines = rows.map(([title, text]) => `  ${title.padEnd(8)} ${printable(text)}\n`);
  return `${colours.bold(printable(path))}  ${printable(alias)}\n${lines.join("")}`;
}

function shownAs(file: Explained): string {
  if (!("level" in file)) return `not shown: ${file.reason}`;
  if (file.level === "reference") return "its path in the map";
  return `${file.level}, ${formatNumber(file.tokens)} tokens`;
}
