import { readMarkdownSections } from "../outline/languages/markdown.ts";
import { cleanLine } from "./card-lines.ts";

/** A heading and the lines below it, up to the next heading. */
export interface MarkdownSection {
  /** 1 to 6, or 0 for text before the first heading. */
  level: number;
  /** The heading as plain text. Empty at level 0. */
  heading: string;
  /** The lines, without code blocks and comments. */
  lines: string[];
}

const maxLineLength = 2_000;
/** Maximum number of items to read. */
const maxItems = 10_000;

/** Returns the sections of Markdown, AsciiDoc or reStructuredText. */
export function readSections(text: string): MarkdownSection[] {
  return readMarkdownSections(text).map(({ level, title, lines }) => {
    return { level, heading: plainWords(title), lines };
  });
}

/** Converts Markdown to plain text: removes emphasis, links, images, HTML and escapes. */
export function plainWords(markdown: string): string {
  const words = markdown
    .slice(0, maxLineLength)
    .replace(/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?/g, "")
    .replace(/\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, "$1")
    .replace(/<((?:https?|mailto):[^<>\s]*)>/g, "$1")
    .replace(/<\/?[a-zA-Z][^<>]*>/g, " ")
    .replace(/\*\*|__(?=\S)|(?<=\S)__|~~/g, "")
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, "")
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}_])/gu, "")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/^\s*>+\s?/, "");
  return cleanLine(words);
}

/** Returns the list items of a section, or its paragraphs if it has no list. */
export function readItems(lines: readonly string[]): string[] {
  const paragraphs: string[] = [];
  const items: string[] = [];
  let target: string[] | undefined;
  for (const line of lines) {
    const item = /^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line)?.[1];
    if (item !== undefined) items.push(item);
    const isText = line.trim() !== "" && !/^\s*(?:\||-{3,}$)/.test(line);
    if (item !== undefined) target = items;
    else if (!isText) target = undefined;
    else if (target === undefined) (target = paragraphs).push(line);
    else if ((target.at(-1)?.length ?? 0) < maxLineLength)
      target.push(`${target.pop() ?? ""} ${line.trim()}`);
  }
  return (items.length > 0 ? items : paragraphs)
    .slice(0, maxItems)
    .map(plainWords)
    .filter((text) => text !== "");
}

/** Returns the text up to the end of its first sentence. */
export function firstSentence(text: string): string {
  const end = /[.!?。！？](?=\s+[\p{Lu}\p{Lo}\d]|$)/u.exec(text);
  return end === null ? text : text.slice(0, end.index).trimEnd();
}
