import { setImmediate } from "node:timers/promises";

import type { AliasRegistry, AliasStat, Pack, PackEntry, PackLevel } from "@ccl/aliases";
import { estimatedCounter } from "@ccl/core";

import { percent } from "./output/audit-report.ts";
import { formatCount, formatNumber, printable } from "./output/text.ts";
import type { Style } from "./output/style.ts";
import { renderTable } from "./output/table.ts";
import { countReasons, type SkippedFiles } from "./project.ts";

/** Figures that the summary compares a pack with. */
export interface PackFacts {
  budget: number;
  /** Name of the token counter. */
  counter: string;
  /** Estimated tokens of the full text of all named files. 0 if no summary is printed. */
  rawTokens: number;
  /** Number of files on disk that another program's registry does not list. 0 for ccl's own registry. */
  unnamed: number;
  /** Files without a name, because a scan could not include them. */
  skipped: SkippedFiles;
}

const LEVELS: PackLevel[] = ["full", "slice", "signatures", "heads", "card", "reference"];

/** Renders the summary of a pack as tables for a person. */
export function renderPackSummary(pack: Pack, facts: PackFacts, style: Style): string {
  const { colours } = style;
  const shown = `${formatNumber(pack.entries.length)} of ${formatCount(pack.entries.length + pack.omitted.length, "file")}`;
  const size = `${formatNumber(pack.tokens)} of ${formatNumber(facts.budget)} tokens (${facts.counter})`;
  const share =
    pack.tokens < facts.rawTokens
      ? `, of which the pack is ${percent(pack.tokens / facts.rawTokens)}`
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
  if (unmatched !== "") lines.push(`${colours.yellow("task")}  ${unmatched}\n`);
  const omitted = describeOmitted(pack, facts);
  if (omitted !== "") lines.push(`${colours.yellow("not shown")}  ${omitted}\n`);
  return `\n${lines.join("\n").replaceAll(/\n{3,}/g, "\n\n")}`;
}

/** Lists words of the task that no file contains. Empty if all occur. */
export function describeUnmatched({
  isMatched,
  unmatched,
}: Pick<Pack, "isMatched" | "unmatched">): string {
  if (!isMatched) return "no file contains a word of the task, so this is an overview";
  return unmatched.length === 0 ? "" : `in no file: ${unmatched.slice(0, 12).join(", ")}`;
}

/** Describes omitted files: `105 files: 103 budget, 2 binary`. Empty if every file is shown. */
export function describeOmitted(
  { omitted }: Pick<Pack, "omitted">,
  { skipped }: Pick<PackFacts, "skipped">,
): string {
  const all = [...omitted, ...skipped];
  return all.length === 0 ? "" : `${formatCount(all.length, "file")}: ${countReasons(all)}`;
}

function levelRow(level: PackLevel, entries: PackEntry[]): string[][] {
  const ofLevel = entries.filter((entry) => entry.level === level);
  const tokens = ofLevel.reduce((sum, entry) => sum + entry.tokens, 0);
  return ofLevel.length === 0 ? [] : [[level, formatNumber(ofLevel.length), formatNumber(tokens)]];
}

interface TreeNode {
  name: string;
  /** Estimated tokens of the full text. */
  raw: number;
  /** Tokens in the pack. */
  shown: number;
  files: number;
  children: Map<string, TreeNode>;
}

/** Share of all tokens below which folders and files are combined. */
const MIN_SHARE = 0.01;

/** Renders a project's files as a tree, with the estimated tokens of each and how many the pack shows. */
export function renderTokenTree(
  pack: Pick<Pack, "entries">,
  estimates: ReadonlyMap<string, number>,
): string {
  const shown = new Map(pack.entries.map(({ path, tokens }) => [path, tokens]));
  const root = emptyNode(".");
  for (const [path, raw] of estimates) {
    let node = root;
    for (const name of ["", ...path.split("/")]) {
      if (name !== "") {
        const child = node.children.get(name) ?? emptyNode(name);
        node.children.set(name, child);
        node = child;
      }
      node.raw += raw;
      node.shown += shown.get(path) ?? 0;
      node.files += 1;
    }
  }
  const width = formatNumber(root.raw).length;
  return linesOf(root, { min: root.raw * MIN_SHARE, width, depth: 0 }).join("");
}

function emptyNode(name: string): TreeNode {
  return { name, raw: 0, shown: 0, files: 0, children: new Map() };
}

function linesOf(node: TreeNode, layout: { min: number; width: number; depth: number }): string[] {
  const { min, width, depth } = layout;
  const row = (shown: number, raw: number, name: string): string =>
    `${formatNumber(shown).padStart(width)} of ~${formatNumber(raw).padStart(width)}  ${"  ".repeat(depth)}${name}\n`;
  const children = [...node.children.values()].sort((a, b) => b.raw - a.raw);
  const large = children.filter((child) => child.raw >= min || child.shown > 0);
  const small = children.filter((child) => !large.includes(child));
  const sum = (key: "raw" | "files"): number => small.reduce((all, child) => all + child[key], 0);
  const name = node.children.size > 0 && depth > 0 ? `${node.name}/` : node.name;
  const below = { ...layout, depth: depth + 1 };
  return [
    row(node.shown, node.raw, printable(name)),
    ...large.flatMap((child) => linesOf(child, below)),
    ...(small.length === 0
      ? []
      : [row(0, sum("raw"), `  ... ${formatNumber(sum("files"))} smaller files`)]),
  ];
}

const FILES_A_TURN = 200;
const KIND = "estimate";

/** Estimates the tokens of each named file's full text, by path. Fast, since they are only for comparison. */
export async function estimateFiles(
  registry: AliasRegistry,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const estimates = new Map<string, number>();
  for (const [index, stat] of (await registry.stat({ signal })).entries()) {
    // Node handles signals only between turns of the event loop.
    if (index % FILES_A_TURN === 0) await setImmediate(undefined, { signal });
    estimates.set(stat.path, await estimateFileTokens(stat, registry, signal));
  }
  return estimates;
}

/** Estimates the tokens of one file's full text. 0 for a binary file. */
async function estimateFileTokens(
  stat: AliasStat,
  registry: AliasRegistry,
  signal: AbortSignal,
): Promise<number> {
  const { alias, sha256, isBinary } = stat;
  if (sha256 === undefined || isBinary) return 0;
  const known = registry.cache.get(KIND, sha256);
  if (known !== undefined) return Number(known);
  const content = await registry.resolve(alias, { signal });
  if (!content.ok || content.value.text === undefined) return 0;
  const tokens = estimatedCounter.count(content.value.text);
  registry.cache.set(KIND, content.value.sha256, String(tokens));
  return tokens;
}
