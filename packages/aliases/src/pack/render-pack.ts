import type { Delta } from "../delta/snapshot.ts";
import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { PackFile } from "./pack-file.ts";
import type { PackSection, PackVersion } from "./pack.ts";

/** Labels of the document's form, in the order in which their files stand; a prefix of your own is its own label. */
const LABELS = new Map([
  ["A", "ADR"],
  ["P", "OPTS"],
  ["S", "SCHEMA"],
  ["PR", "PROFILE"],
  ["H", "CODE"],
  ["T", "TEST"],
  ["D", "DOC"],
  ["C", "CONFIG"],
]);
const ORDER = [...LABELS.keys()];

const HOW_TO_EXPAND = 'If you need the full text of an alias, call get_alias("<alias>").';

/** What the text consists of. */
export interface PackParts {
  /** Rendered by `renderBlock`, in the order of `compareBlocks`. */
  blocks: string[];
  contextId: string;
  version: PackVersion;
  /** How many files are not named at all. */
  missing: number;
  /** What the short terms of the vocabulary stand for; empty when none is in use. */
  legend: string;
  task: string;
  /** Undefined when there is no base. */
  delta: string[] | undefined;
}

/** The line that names a file: kind, alias, hash and path. */
export function renderHeader(file: Pick<PackFile, "alias" | "path" | "sha8">): string {
  const prefix = aliasPrefix(file.alias);
  return `${LABELS.get(prefix) ?? prefix}: ${file.alias}@${file.sha8} ${file.path}`;
}

/** A file's header line, its body and what the body leaves out. */
export function renderBlock(
  file: Pick<PackFile, "alias" | "path" | "sha8">,
  { body, mark = "" }: { body: string; mark?: string | undefined },
): string {
  return [renderHeader(file), body, mark]
    .filter((part) => part !== "")
    .join("\n")
    .concat("\n");
}

/** Decisions first, then by kind, then by alias: an order that no task changes. */
export function compareBlocks(a: Pick<PackFile, "alias">, b: Pick<PackFile, "alias">): number {
  const difference = placeOf(a.alias) - placeOf(b.alias);
  if (difference !== 0) return difference;
  return a.alias < b.alias ? -1 : a.alias > b.alias ? 1 : 0;
}

function placeOf(alias: string): number {
  const place = ORDER.indexOf(aliasPrefix(alias));
  return place < 0 ? ORDER.length : place;
}

/** The sections' texts in order; joined they are the pack. */
export function renderSections(parts: PackParts): (Pick<PackSection, "name"> & { text: string })[] {
  const { accepted, deltas, repairs } = parts.version;
  const header = `## ver: A=${accepted} B=${deltas} C=${repairs} ${parts.contextId}\n`;
  const legend = parts.legend === "" ? "" : `## terms: ${parts.legend}\n`;
  const missing = parts.missing === 0 ? "" : `... +${parts.missing} files not shown\n`;
  const instruction = `[INSTRUCTION]\n${parts.task}\n`;
  const context = `[CONTEXT]\n${header}${legend}${parts.blocks.join("")}${missing}\n`;
  if (parts.delta === undefined) {
    return [
      { name: "CONTEXT", text: context },
      { name: "INSTRUCTION", text: `${instruction}\n${HOW_TO_EXPAND}\n` },
    ];
  }
  const delta = `[DELTA]\n${parts.delta.join("\n")}\n\n${HOW_TO_EXPAND}\n`;
  return [
    { name: "CONTEXT", text: context },
    { name: "INSTRUCTION", text: `${instruction}\n` },
    { name: "DELTA", text: delta },
  ];
}

/** The smallest pack: the task and the way to more. */
export function renderBareInstruction(task: string): string {
  return `[INSTRUCTION]\n${task}\n\n${HOW_TO_EXPAND}\n`;
}

/** The [DELTA] section's lines: what the base was, then each change in words. */
export function deltaLines(delta: Delta): string[] {
  const lines = [`BASE: ${delta.baseId}`];
  for (const change of delta.changes) {
    if (change.type === "added") lines.push(`- ${change.alias}: added ${change.entry.path}`);
    else if (change.type === "removed") lines.push(`- ${change.alias}: removed ${change.path}`);
    else lines.push(...change.notes.map((note) => `- ${change.alias}: ${note}`));
  }
  return lines;
}
