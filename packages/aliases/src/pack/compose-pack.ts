import type { TokenCounter } from "@ccl/core";

import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { DetailedRanking, RankedFile } from "../rank/rank-files.ts";
import { collectPicks, type Pick as PickedPart, type ShownFile } from "./choose-lines.ts";
import { isCardKind } from "./pack-caps.ts";
import type { Pack, PackEntry, PackLevel, PackOmission, PackOptions, PackSection } from "./pack.ts";
import { printablePath, renderMap } from "./render-map.ts";
import { createLayout, type BlockTitle } from "./pack-layout.ts";
import { renderSections, type Block, type PackParts } from "./render-pack.ts";
import { listNames, renderSlice } from "./render-slice.ts";

/** State shared by all rounds of rendering a pack. */
export interface Composition {
  ranking: DetailedRanking;
  frame: PackParts;
  /** A map of the whole project, or of as many files as fit. Absent if none fits. */
  map?: ProjectMap | undefined;
  counter: TokenCounter;
  options: PackOptions;
}

/** A pack without the fields that come from its ranking. */
export type Composed = Omit<Pack, "unmatched" | "isMatched">;

interface ShownBlock extends Block {
  file: RankedFile;
  level: PackLevel;
  isCut: boolean;
  encoding: string | undefined;
}

/** A map of the project, and the paths in it. */
interface ProjectMap {
  text: string;
  paths: ReadonlySet<string>;
}

/** A rendered pack. `describe` is separate because the fitting rounds need only the size. */
export interface RenderedPack {
  tokens: number;
  describe(): Composed;
}

/** Renders the picks, the names of the next best files, and the map. */
export function renderPack(
  picks: readonly PickedPart[],
  namesRoom: number,
  { ranking, frame, map, counter, options }: Composition,
): RenderedPack {
  const blocks = collectPicks(picks).map((shown) => toBlock(shown, options));
  const shown = new Set(blocks.map(({ path }) => path));
  const others = ranking.files.filter(({ path }) => !shown.has(path));
  const named = nameFiles(others, namesRoom, { ranking, counter });
  const inMap = others.length === 0 ? undefined : map;
  const visible = new Set([
    ...shown,
    ...named.map(({ file }) => file.path),
    ...(inMap?.paths ?? []),
  ]);
  const hidden = ranking.files.filter(({ path }) => !visible.has(path));
  const sections = renderSections({
    ...frame,
    blocks,
    map: inMap?.text,
    names: named.map(({ line }) => line),
    missing: inMap === undefined ? hidden.length : 0,
  });
  const text = sections.map((section) => section.text).join("");
  const tokens = counter.count(text);
  const describe = (): Composed => {
    const entries = [
      ...blocks.map((block) => toEntry(block, counter)),
      ...named.map(({ file, line, isCut }): PackEntry => {
        return { ...file, level: "heads", tokens: counter.count(`${line}\n`), isCut };
      }),
    ];
    const listed = new Set(entries.map(({ path }) => path));
    for (const file of ranking.files)
      if (inMap?.paths.has(file.path) === true && !listed.has(file.path))
        entries.push({ ...file, level: "reference", tokens: 0, isCut: false });
    return {
      text,
      tokens,
      sections: countSections(sections, { tokens, counter }),
      entries: entries.sort((a, b) => a.rank - b.rank),
      omitted: hidden.map((file) => toOmission(file, options)),
    };
  };
  return { tokens, describe };
}

/** Counts the tokens of each section. The files' section gets the remainder, so that the sum equals the total. */
function countSections(
  sections: ReturnType<typeof renderSections>,
  { tokens, counter }: { tokens: number; counter: TokenCounter },
): PackSection[] {
  const counted = sections.map(({ name, text }) => ({
    name,
    tokens: name === "CONTEXT" ? 0 : counter.count(text),
  }));
  const others = counted.reduce((sum, section) => sum + section.tokens, 0);
  return counted.map((section) =>
    section.name === "CONTEXT" ? { ...section, tokens: tokens - others } : section,
  );
}

function toBlock(
  { source, lines, outline, unread }: ShownFile,
  { lineNumbers }: PackOptions,
): ShownBlock {
  const { file, encoding } = source;
  const { alias, path } = file;
  if (outline !== undefined) {
    const level = isCardKind(source) ? "card" : "signatures";
    const isRead = unread.length === 0;
    const detail = isRead ? level : `${level}, ${unread.length} by one line: syntax errors`;
    return { file, alias, path, detail, body: outline, level, isCut: !isRead, encoding };
  }
  const isFull = lines.every(Boolean);
  const isShown = (line: number): boolean => lines[line] === true;
  const details = [
    ...(isFull ? [] : [`part of ${lines.length} lines`]),
    ...(encoding === undefined ? [] : [`read as ${encoding}`]),
  ];
  return {
    file,
    alias,
    path,
    detail: details.join(", "),
    body: renderSlice({ path, lines: source.lines, isShown, lineNumbers }),
    level: isFull ? "full" : "slice",
    isCut: !isFull,
    encoding,
  };
}

function toEntry(block: ShownBlock, counter: TokenCounter): PackEntry {
  const { file, level, isCut, encoding, body } = block;
  return { ...file, level, tokens: countFile(block, body, counter), isCut, encoding };
}

/** Counts the tokens of a file's block in the plain style. */
export function countFile(title: BlockTitle, body: string, counter: TokenCounter): number {
  return counter.count(`${createLayout("plain").file(title, body)}\n`);
}

const MAX_NAMES = 6;

interface NamedFile {
  file: RankedFile;
  line: string;
  isCut: boolean;
}

/**
 * Returns one line for each of the next best files, with its declarations. A file without
 * declarations appears in the map instead.
 */
function nameFiles(
  files: readonly RankedFile[],
  room: number,
  { ranking, counter }: { ranking: DetailedRanking; counter: TokenCounter },
): NamedFile[] {
  const named: NamedFile[] = [];
  let left = room;
  for (const file of files) {
    const names = (ranking.facts.get(file.alias)?.declarations ?? "").split(" ").filter(Boolean);
    if (names.length === 0 || isCardKind({ file })) continue;
    const line = `${printablePath(file.path)}: ${listNames(names, MAX_NAMES)}`;
    left -= counter.count(`${line}\n`);
    if (left < 0) break;
    named.push({ file, line, isCut: names.length > MAX_NAMES });
  }
  return named;
}

/** Returns a map of the whole project, or of the best files that fit. */
export function mapOf(
  files: readonly RankedFile[],
  room: number,
  counter: TokenCounter,
): ProjectMap | undefined {
  const paths = files.map(({ path }) => path);
  let shown = 0;
  const text = renderMap(paths, (candidate, count) => {
    if (counter.count(candidate) > room) return false;
    shown = count;
    return true;
  });
  return text === undefined ? undefined : { text, paths: new Set(paths.slice(0, shown)) };
}

function toOmission(file: RankedFile, { caps }: PackOptions): PackOmission {
  const { alias } = file;
  const isCapped = caps?.[aliasPrefix(alias)] !== undefined || isCardKind({ file: { alias } });
  return { ...file, reason: isCapped ? "cap" : "budget" };
}
