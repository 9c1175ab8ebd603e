import { declarationAt, type Declaration } from "../declaration.ts";

const MAX_LINES = 50_000;
const MAX_LINE_CHARACTERS = 2_000;
/** In MkDocs, `=== "Java"` is a tab label. `===` alone underlines a title. */
const HEADING = /^ {0,3}(#{1,6}|={1,6}(?=[ \t]+[^\s"]))(?:[ \t]+(.*))?$/;
const UNDERLINE = /^ {0,3}(?:={3,}|-{3,}|~{4,})$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A heading and the lines below it, up to the next heading. */
interface MarkdownSection {
  /** 1 to 6, or 0 for text before the first heading. */
  level: number;
  /** As written in the source. Empty at level 0. */
  title: string;
  /** The lines, without code blocks and comments. */
  lines: string[];
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
}

/**
 * Splits the first 50,000 lines of Markdown into sections. Also supports AsciiDoc and
 * reStructuredText headings. Ignores front matter.
 */
export function readMarkdownSections(text: string): MarkdownSection[] {
  const lines = text
    .split("\n", MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_CHARACTERS).trimEnd());
  const sections: MarkdownSection[] = [];
  const begin = (level: number, title: string, firstLine: number): MarkdownSection => {
    const last = sections.at(-1);
    if (last !== undefined) last.lastLine = firstLine - 1;
    const section = { level, title, lines: [], firstLine, lastLine: lines.length };
    sections.push(section);
    return section;
  };
  let section = begin(0, "", 1);
  const start = endOfFrontMatter(lines);
  let fence = "";
  let isComment = false;
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    } else if (mark !== "" && !isRstUnderline(line, section.lines.at(-1))) fence = mark;
    else if (isComment || line.trimStart().startsWith("<!--")) isComment = !line.includes("-->");
    else {
      const [, marks, title = ""] = (index >= start && HEADING.exec(line)) || [];
      const before = section.lines.at(-1)?.trim() ?? "";
      const isTitled = index >= start && UNDERLINE.test(line) && isTitle(before);
      if (marks !== undefined)
        section = begin(marks.length, title.replace(/(?:^|\s+)[#=]+$/, "").trim(), index + 1);
      else if (isTitled) {
        section.lines.pop();
        section = begin("=-~".indexOf(line.trim().charAt(0)) + 1, before, index);
      } else section.lines.push(line);
    }
  }
  return sections;
}

/**
 * True for tildes that underline a title of reStructuredText. They are at least as long as the
 * title. Three tildes always open a code block.
 */
function isRstUnderline(line: string, before = ""): boolean {
  return UNDERLINE.test(line) && isTitle(before) && before.length <= line.length;
}

/**
 * False if a line above dashes belongs to a table, a list or settings, so that it is not a title.
 */
function isTitle(line: string): boolean {
  return line !== "" && !/^[-*+|>]|^\d+[.)]\s|:\s|:$|\|/.test(line);
}

/** Returns the index of the first line after any front matter. */
function endOfFrontMatter(lines: readonly string[]): number {
  if (lines[0] !== "---") return 0;
  return lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)$/.test(line)) + 1;
}

/** Returns the headings of Markdown text, each with the lines up to the next one. */
export function readMarkdown(text: string): Declaration[] {
  return readMarkdownSections(text)
    .slice(1)
    .map(({ level, title, ...place }) => {
      const kind = "#".repeat(level);
      return declarationAt(place, {
        kind,
        name: title,
        exports: [],
        signature: `${kind} ${title}`,
      });
    });
}
