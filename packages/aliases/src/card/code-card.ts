import { buildOutline } from "../outline/build/build-outline.ts";
import type { OutlineItem } from "../outline/outline.ts";
import { maxCardLines } from "./card-lines.ts";
import { nameRest } from "./pack-items.ts";
import type { StructuredText } from "./structured-text.ts";

/** A source file and its exports. */
export interface Code {
  text: string;
  items: OutlineItem[];
}

/** Returns the exported declarations, or undefined if the file is not code or exports nothing. */
export async function readCode({
  path,
  masked: text,
  signal,
}: StructuredText): Promise<Code | undefined> {
  const { language = "json", items } = await buildOutline({ path, text }, { signal });
  if (["markdown", "json", "yaml"].includes(language)) return undefined;
  const exported = items.filter((item) => item.exports.length > 0);
  return exported.length === 0 ? undefined : { text, items: exported };
}

/** Lists exported names with their signatures, ordered by how often the file mentions them. */
export function codeCard({ text, items }: Code): string[] {
  const uses = countWords(text, new Set(items.map((item) => item.name)));
  const ranked = [...items].sort((a, b) => (uses.get(b.name) ?? 0) - (uses.get(a.name) ?? 0));
  const isOver = ranked.length > maxCardLines;
  const shown = ranked.slice(0, isOver ? maxCardLines - 1 : maxCardLines).map(renderSignature);
  if (!isOver) return shown;
  const rest = ranked.slice(shown.length).flatMap((item) => item.exports);
  return [...shown, nameRest([...new Set(rest)])];
}

/** Counts how often each word occurs in the text as an identifier. */
function countWords(text: string, words: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (words.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Renders a signature on one line, without comments and `export` keywords. */
export function renderSignature(item: Pick<OutlineItem, "text">): string {
  return item.text
    .slice(0, 4_000)
    .replace(/\/\*[^]*?(?:\*\/|$)/g, " ")
    .replace(/^\s*(?:\/\/|#(?!\[)|"""|''').*$/gm, "")
    .replace(/([^\s{(,;:|&=<])[ \t]*\n\s*(?![})|&?:=<>\s]|$)/g, "$1; ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:export\s+(?:default\s+)?(?:declare\s+)?|pub\s+|public\s+)/, "")
    .replace(/\s*[;{]$/, "");
}
