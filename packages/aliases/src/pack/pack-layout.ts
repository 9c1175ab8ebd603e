import { extname } from "node:path/posix";

import { printablePath } from "./render-map.ts";

/** `plain` marks blocks with lines of `=`, `markdown` with fences, and `xml` with tags. */
export type PackStyle = "plain" | "markdown" | "xml";

/** The text of a block's header. */
export interface BlockTitle {
  alias: string;
  path: string;
  /** Text after the names, such as `part of 120 lines`. */
  detail: string;
}

/**
 * Writes the parts of a pack in one style. Prevents the text of a file from forging a header or an
 * end.
 */
interface PackLayout {
  section(name: string, lines: readonly string[]): string;
  file(title: BlockTitle, body: string): string;
  list(name: string, body: string): string;
}

/** Creates a layout for a pack that contains the given texts. */
export function createLayout(
  style: PackStyle | undefined,
  texts: readonly string[] = [],
): PackLayout {
  if (style === "markdown") return markdownLayout(longerRun(texts, /^[ \t]*(`{3,})/gm, "`"));
  return style === "xml" ? xmlLayout(texts) : plainLayout(longerRun(texts, /^(={3,})/gm, "="));
}

function plainLayout(mark: string): PackLayout {
  return {
    section: (name, lines) => [`[${name}]`, ...lines, ""].join("\n"),
    file: (title, body) => `${mark} ${titleOf(title)}\n${guardMarkers(body)}`,
    list: (name, body) => `${mark} ${name}\n${guardMarkers(body)}`,
  };
}

function markdownLayout(fence: string): PackLayout {
  const fenced = (title: string, body: string, language: string): string =>
    `## ${title}\n${fence}${language}\n${body}\n${fence}`;
  return {
    section: (name, lines) => [`# ${name}`, ...lines, ""].join("\n"),
    file: (title, body) =>
      fenced(titleOf(title), body, /^\.(\w+)$/.exec(extname(title.path))?.[1] ?? ""),
    list: (name, body) => fenced(name, body, ""),
  };
}

const TAG = /<\/?(?:context|instruction|delta|file|map|names|diff|log)(\d*)\b/gi;

function xmlLayout(texts: readonly string[]): PackLayout {
  const used = texts.flatMap((text) => [...text.matchAll(TAG)].map(([, digits]) => digits));
  let number = 1;
  while (used.includes(String(number))) number += 1;
  const suffix = used.length === 0 ? "" : String(number);
  const element = (name: string, attributes: string, body: string): string =>
    `<${name}${suffix}${attributes}>\n${body}\n</${name}${suffix}>`;
  return {
    section: (name, lines) => `${element(name.toLowerCase(), "", lines.join("\n").trimEnd())}\n`,
    file({ path, alias, detail }, body) {
      const own = Object.entries({ path: printablePath(path), alias, detail });
      const attributes = own.flatMap(([name, value]) =>
        value === "" ? [] : [` ${name}="${escapeXml(value)}"`],
      );
      return element("file", attributes.join(""), body);
    },
    list: (name, body) => element(name, "", body),
  };
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function titleOf({ path, alias, detail }: BlockTitle): string {
  return `${printablePath(path)} ${alias}${detail === "" ? "" : `, ${detail}`}`;
}

/**
 * Returns a run of the character, 3 or longer, that is longer than any run at the start of a line
 * in the given texts.
 */
function longerRun(texts: readonly string[], runs: RegExp, character: string): string {
  let length = 3;
  for (const text of texts)
    for (const [, run = ""] of text.matchAll(runs)) length = Math.max(length, run.length + 1);
  return character.repeat(length);
}

/** Adds a space before lines that look like a section marker, so that a file cannot open or close a section. */
function guardMarkers(body: string): string {
  return body.replace(/^(?=\[(?:CONTEXT|INSTRUCTION|DELTA)\])/gm, " ");
}
