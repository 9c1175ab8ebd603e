import type { Pack, PackEntry, PackLevel } from "@ccl/aliases";

import { formatCount, formatNumber } from "./output/format-number.ts";
import type { Style } from "./output/style.ts";
import { renderTable } from "./output/table.ts";
import { countReasons, type SkippedFiles } from "./project.ts";

/** What a pack is compared with. */
export interface PackFacts {
  budget: number;
  /** Name of the token counter. */
  counter: string;
  /** Estimated tokens of all named files in full; 0 if no summary is printed. */
  rawTokens: number;
  /** Files on disk that another program's registry does not name; 0 for our own. */
  unnamed: number;
  /** Files that have no name because a scan cannot take them up. */
  skipped: SkippedFiles;
}

const LEVELS: PackLevel[] = ["full", "slice", "signatures", "heads", "card", "reference"];

/** How the pack came out, as tables for a person. */
export function renderPackSummary(pack: Pack, facts: PackFacts, style: Style): string {
  const { colours } = style;
  const shown = `${formatNumber(pack.entries.length)} of ${formatCount(pack.entries.length + pack.omitted.length, "file")}`;
  const size = `${formatNumber(pack.tokens)} of ${formatNumber(facts.budget)} tokens (${facts.counter})`;
  const share =
    pack.tokens < facts.rawTokens
      ? `, of which the pack is ${percent(pack.tokens, facts.rawTokens)}`
      : "";
  const lines = [
    `${colours.bold("pack")}  ${colours.green(size)}, ${shown}`,
    `${colours.bold("raw")}   ~${formatNumber(facts.rawTokens)} tokens${share}`,
    "",
    renderTable(
      ["level", { right: "files" }, { right: "tokens" }],
      LEVELS.flatMap((level) => levelRow(level, pack.entries)),
      style,
    ),
  ];
  const unmatched = describeUnmatched(pack);
  if (unmatched !== undefined) lines.push(`${colours.yellow("task")}  ${unmatched}\n`);
  const omitted = describeOmitted(pack, facts);
  if (omitted !== undefined) lines.push(`${colours.yellow("not shown")}  ${omitted}\n`);
  return `\n${lines.join("\n").replaceAll(/\n{3,}/g, "\n\n")}`;
}

/** Which words of the task no file has; undefined when none is missing. */
export function describeUnmatched({
  isMatched,
  unmatched,
}: Pick<Pack, "isMatched" | "unmatched">): string | undefined {
  if (!isMatched) return "no file has any word of the task, so this is an overview";
  return unmatched.length === 0 ? undefined : `in no file: ${unmatched.slice(0, 12).join(", ")}`;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** `105 files: 103 budget, 2 binary`, or undefined when every file is shown. */
export function describeOmitted(
  { omitted }: Pick<Pack, "omitted">,
  { skipped }: Pick<PackFacts, "skipped">,
): string | undefined {
  const all = [...omitted, ...skipped];
  return all.length === 0 ? undefined : `${formatCount(all.length, "file")}: ${countReasons(all)}`;
}

function levelRow(level: PackLevel, entries: PackEntry[]): string[][] {
  const ofLevel = entries.filter((entry) => entry.level === level);
  const tokens = ofLevel.reduce((sum, entry) => sum + entry.tokens, 0);
  return ofLevel.length === 0 ? [] : [[level, formatNumber(ofLevel.length), formatNumber(tokens)]];
}
