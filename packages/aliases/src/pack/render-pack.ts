import { printablePath } from "./render-map.ts";
import type { PackSection, PackVersion } from "./pack.ts";

const HOW_TO_EXPAND =
  'For more, call get_alias("<alias, path or path#name>"), with lines "A-B" for "... +N lines, A-B".';

/** What the text consists of. */
export interface PackParts {
  map: string | undefined;
  /** Files in the order of rank. */
  blocks: Block[];
  /** Lines `path: name, name` of files that have no block. */
  names: string[];
  contextId: string;
  version: PackVersion;
  /** How many files are not named at all. */
  missing: number;
  task: string;
  /** Undefined when there is no base. */
  delta: string[] | undefined;
}

/** One file with a header. */
export interface Block {
  alias: string;
  path: string;
  /** After the names in the header, such as `part of 120 lines`. */
  detail: string;
  body: string;
}

/** A block's header line; `mark` is a run of `=` that no body line begins with. */
export function renderHeader({ alias, path, detail }: Omit<Block, "body">, mark: string): string {
  return `${mark} ${printablePath(path)} ${alias}${detail === "" ? "" : `, ${detail}`}`;
}

/** The shortest run of `=`, three at least, such that no line of the texts begins with it: a file can't forge a header. */
function headerMark(texts: readonly string[]): string {
  let length = 3;
  for (const text of texts)
    for (const [run] of text.matchAll(/^={3,}/gm)) length = Math.max(length, run.length + 1);
  return "=".repeat(length);
}

/** A file can't open or close a section of the pack: its lines that look like a marker are moved in by a space. */
export function guardMarkers(body: string): string {
  return body.replace(/^(?=\[(?:CONTEXT|INSTRUCTION|DELTA)\])/gm, " ");
}

/** The sections' texts in order; joined they are the pack. */
export function renderSections(parts: PackParts): (Pick<PackSection, "name"> & { text: string })[] {
  const { accepted, deltas, repairs } = parts.version;
  const { map, blocks, names, missing } = parts;
  const mark = headerMark([...blocks.map(({ body }) => body), map ?? "", names.join("\n")]);
  const context = [
    "[CONTEXT]",
    `## ver: A=${accepted} B=${deltas} C=${repairs} ${parts.contextId}`,
    ...(map === undefined ? [] : [`${mark} map`, map]),
    ...blocks.flatMap((block) => [renderHeader(block, mark), guardMarkers(block.body)]),
    ...(names.length === 0 ? [] : [`${mark} names`, ...names.map(guardMarkers)]),
    ...(missing === 0 ? [] : [`... +${missing} files not shown`]),
    "",
    "",
  ].join("\n");
  const instruction = `[INSTRUCTION]\n${parts.task}\n`;
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
