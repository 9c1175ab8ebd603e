import type { Declaration } from "../declaration.ts";

const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

interface Heading {
  level: number;
  title: string;
  line: number;
}

function withoutClosingMarks(title: string): string {
  const trimmed = title.trim();
  const end = trimmed.search(/#+$/);
  if (end < 0) return trimmed;
  return end === 0 || /\s/.test(trimmed.charAt(end - 1))
    ? trimmed.slice(0, end).trimEnd()
    : trimmed;
}

function underlineLevel(line: string): number {
  if (/^ {0,3}=+\s*$/.test(line)) return 1;
  return /^ {0,3}-+\s*$/.test(line) ? 2 : 0;
}

/** The first line after a block of front matter. */
function firstLineOfText(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end < 0 ? 0 : end + 1;
}

function readHeadings(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence = "";
  for (let index = firstLineOfText(lines); index < lines.length; index++) {
    const line = lines[index] ?? "";
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      continue;
    }
    if (mark !== "") {
      fence = mark;
      continue;
    }
    const heading = ATX_HEADING.exec(line);
    const level = underlineLevel(lines[index + 1] ?? "");
    const isParagraph = /^ {0,3}[^\s#>*+-]/.test(line) && !line.includes("|");
    if (heading !== null)
      headings.push({
        level: heading[1]?.length ?? 1,
        title: withoutClosingMarks(heading[2] ?? ""),
        line: index + 1,
      });
    else if (level > 0 && isParagraph)
      headings.push({ level, title: line.trim(), line: index + 1 });
  }
  return headings;
}

/** The headings of a Markdown text, each with the lines up to the next one. Ignores headings in fenced code. */
export function readMarkdown(text: string): Declaration[] {
  const lines = text.split(/\r?\n/);
  const headings = readHeadings(lines);
  return headings.map(({ level, title, line }, index): Declaration => {
    const kind = "#".repeat(level);
    const lastLine = (headings[index + 1]?.line ?? lines.length + 1) - 1;
    const place = {
      firstLine: line,
      lastLine,
      documentation: "",
      members: undefined,
      isOverload: false,
    };
    return { kind, name: title, exports: [], signature: `${kind} ${title}`, ...place };
  });
}
