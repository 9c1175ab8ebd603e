import { codePart } from "../outline/code-part.ts";
import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import type { AliasContent, AliasRegistry, AliasStat } from "../registry/alias-registry.ts";
import type { RankInput } from "./score-files.ts";
import { countWords, formatCounts, type TaskTerms } from "./task-words.ts";

/** The facts about a file that ranking needs. */
export interface FileFacts extends RankInput {
  sha256: string;
}

/** The registry to read files from. */
interface Source {
  registry: AliasRegistry;
  signal?: AbortSignal | undefined;
}

/** Reads a file's current text. Returns undefined if the file no longer exists or is no longer text. */
export async function readText(
  { registry, signal }: Source,
  { alias }: { alias: string },
): Promise<(AliasContent & { text: string }) | undefined> {
  const content = await registry.resolve(alias, { signal });
  if (!content.ok || content.value.text === undefined) return undefined;
  return { ...content.value, text: content.value.text };
}

const isWord = (text: string): boolean => /^\S+$/.test(text);

/**
 * Returns the facts about a file, or why it has none. Caches them by content, so that unchanged
 * files need not be read again. Counts all words of a file only if the counts are cached.
 */
export async function readFacts(
  stat: AliasStat,
  { terms, ...source }: Source & { terms: TaskTerms },
): Promise<FileFacts | "binary" | "unreadable" | "empty"> {
  const { cache, isPersistent } = source.registry;
  const { alias, path } = stat;
  if (stat.sha256 === undefined) return "unreadable";
  if (stat.isBinary) return "binary";
  const language = outlineLanguage(path);
  const kind = `facts-4-${language ?? "text"}`;
  const known = cache.get(kind, stat.sha256);
  if (known !== undefined) {
    const [chars, declarations = "", counts = ""] = known.split("\n");
    if (chars === "0") return "empty";
    const recalled = { chars: Number(chars), declarations, counts: terms.recall(counts) };
    return { alias, path, sha256: stat.sha256, ...recalled };
  }
  const content = await readText(source, stat);
  if (content === undefined) return "unreadable";
  const { text, sha256 } = content;
  const chars = text.trim() === "" ? 0 : text.length;
  const declarations = scanDeclarations(codePart(path, text), language).filter(isWord).join(" ");
  if (isPersistent) {
    const lines = [String(chars), declarations, formatCounts(countWords(text))];
    cache.set(kind, sha256, lines.join("\n"));
  }
  if (chars === 0) return "empty";
  return { alias, path, sha256, chars, declarations, counts: terms.count(text) };
}
