import { readSections, type MarkdownSection } from "./markdown-sections.ts";
import { packGroups, type ItemGroup } from "./pack-items.ts";

/** Returns the sections of a document that have a heading, or undefined if there are none. */
export function readHeadings(text: string): MarkdownSection[] | undefined {
  const headings = readSections(text).filter((section) => section.heading !== "");
  return headings.length === 0 ? undefined : headings;
}

/** Lists the headings of a document: one line for the title, then one for each chapter with its subheadings. */
export function docCard(headings: readonly MarkdownSection[]): string[] {
  const [title, ...others] = headings;
  const highest = Math.min(7, ...new Set(others.map((section) => section.level)));
  const chapterLevel = Math.max(title?.level ?? 0, highest);
  const groups: ItemGroup[] = [];
  for (const { level, heading } of headings) {
    const last = groups.at(-1);
    if (last === undefined || level <= chapterLevel) groups.push({ subject: heading, items: [] });
    else last.items.push(heading);
  }
  return packGroups(groups);
}
