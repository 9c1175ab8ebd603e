import type { PackSection, PackVersion } from "./pack.ts";
import { createLayout, type BlockTitle, type PackStyle } from "./pack-layout.ts";

const HOW_TO_EXPAND =
  'For more, call get_alias("<alias, path or path#name>"), with lines "A-B" for "... +N lines, A-B".';

/** The parts of the text. */
export interface PackParts {
  style: PackStyle | undefined;
  map: string | undefined;
  /** Files in rank order. */
  blocks: Block[];
  attachments: { title: string; text: string }[];
  /** Lines of the form `path: name, name` for files that have no block. */
  names: string[];
  contextId: string;
  version: PackVersion;
  /** Number of files that the pack does not name. */
  missing: number;
  task: string;
  /** Undefined if there is no base. */
  delta: string[] | undefined;
}

/** A file and its header. */
export interface Block extends BlockTitle {
  body: string;
}

/** Returns the text of each section, in order. Joining them produces the pack. */
export function renderSections(parts: PackParts): (Pick<PackSection, "name"> & { text: string })[] {
  const { accepted, deltas, repairs } = parts.version;
  const { style, map, blocks, attachments, missing, delta, task } = parts;
  const names = parts.names.join("\n");
  const texts = [...blocks.map(({ body }) => body), ...attachments.map(({ text }) => text)];
  const layout = createLayout(style, [...texts, map ?? "", names]);
  const context = [
    `## ver: A=${accepted} B=${deltas} C=${repairs} ${parts.contextId}`.slice(
      style === "markdown" || style === "xml" ? 3 : 0,
    ),
    ...(map === undefined ? [] : [layout.list("map", map)]),
    ...blocks.map((block) => layout.file(block, block.body)),
    ...attachments.map(({ title, text }) => layout.list(title, text)),
    ...(names === "" ? [] : [layout.list("names", names)]),
    ...(missing === 0 ? [] : [`... +${missing} files not shown`]),
    "",
  ];
  const end = ["", HOW_TO_EXPAND];
  const isLast = delta === undefined;
  return [
    { name: "CONTEXT", text: layout.section("CONTEXT", context) },
    { name: "INSTRUCTION", text: layout.section("INSTRUCTION", [task, ...(isLast ? end : [""])]) },
    ...(isLast
      ? []
      : [{ name: "DELTA" as const, text: layout.section("DELTA", [...delta, ...end]) }]),
  ];
}

/** Renders the smallest pack: the task, and how to request more. */
export function renderBareInstruction(task: string, style?: PackStyle): string {
  return createLayout(style).section("INSTRUCTION", [task, "", HOW_TO_EXPAND]);
}
