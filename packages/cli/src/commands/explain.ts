import type { PackEntry, PackOmission } from "@ccl/aliases";

import { buildProjectPack } from "../build-project-pack.ts";
import { findFocus, requireFiles, withFiles } from "../project.ts";
import { formatNumber, printable } from "../output/text.ts";
import type { Style } from "../output/style.ts";
import { describeUnmatched } from "../pack-summary.ts";
import { applySettings, type ShapeFlags } from "../pack-shape.ts";
import type { CommandResult, Session } from "../session.ts";

/** A file with the token count of its full text. */
type Explained = (PackEntry | PackOmission) & { wholeTokens: number };

/** Explains how files rank for a task, and what a pack within the budget shows of them. Writes nothing. */
export async function explain(
  session: Session,
  names: string[],
  flags: ShapeFlags,
): Promise<CommandResult> {
  const shape = await applySettings(session, flags);
  return withFiles(session, shape, async ({ registry, skipped }) => {
    requireFiles(registry, shape, skipped);
    const aliases = new Set(findFocus(registry, names, { flag: "", skipped }));
    const { pack, counter } = await buildProjectPack(session, shape, { registry });
    const files: Explained[] = [];
    for (const file of [...pack.entries, ...pack.omitted]) {
      if (!aliases.has(file.alias)) continue;
      const content = await registry.resolve(file.alias);
      const text = content.ok ? content.value.text : undefined;
      files.push({ ...file, wholeTokens: counter.count(text ?? "") });
    }
    const total = pack.entries.length + pack.omitted.length;
    const { isMatched, unmatched } = pack;
    const missing = flags.task && describeUnmatched(pack);
    return {
      document: { files, total, isMatched, unmatched },
      text: (style) =>
        files.map((file) => renderFile(file, { total, budget: shape.budget, style })).join("\n"),
      note: missing ? `ccl: ${missing}\n` : "",
    };
  });
}

function renderFile(
  file: Explained,
  { total, budget, style: { colours } }: { total: number; budget: number; style: Style },
): string {
  const { alias, path, rank, score, matched = [], parts = {}, commit, isInScope } = file;
  const shares = Object.entries(parts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, share]) => `${name} ${Math.round(share * 100)} %`);
  const rows: [title: string, text: string][] = [];
  if (rank !== undefined && score !== undefined)
    rows.push(["rank", `${rank} of ${total}, score ${score.toFixed(2)}: ${shares.join(", ")}`]);
  if (matched.length > 0) rows.push(["words", matched.join(" ")]);
  if (commit !== undefined) rows.push(["history", commit]);
  if (isInScope === false) rows.push(["part", "not in the part that the task names first"]);
  rows.push(["pack", shownAs(file, budget)]);
  const lines = rows.map(([title, text]) => `  ${title.padEnd(8)} ${printable(text)}\n`);
  return `${colours.bold(printable(path))}  ${printable(alias)}\n${lines.join("")}`;
}

function shownAs(file: Explained, budget: number): string {
  const whole = `${formatNumber(file.wholeTokens)} tokens`;
  const room = `the whole file takes ${whole}, and files with a better rank fill the budget of ${budget}`;
  if (!("level" in file))
    return `not shown: ${file.reason === "budget" ? `${room}; --focus shows it in full` : file.reason}`;
  if (file.level === "reference") return `its path in the map: ${room}`;
  return `${file.level}, ${formatNumber(file.tokens)} tokens`;
}
