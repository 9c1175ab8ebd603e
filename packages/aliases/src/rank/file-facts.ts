import { codePart } from "../outline/code-part.ts";
import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import type { RankInput } from "./score-files.ts";
import { countWords, formatCounts, type TaskTerms } from "./task-words.ts";
import type { AliasStat, DerivedCache } from "../registry/alias-registry.ts";

/**
 * The facts about a file that ranking needs. They are cached, so that an unchanged file need not be
 * read again.
 */
export interface FileFacts extends RankInput {
  sha256: string;
}

/** A file whose content hash is known. */
export type KnownFile = AliasStat & { sha256: string };

const kindOf = (path: string): string => `facts-4-${outlineLanguage(path) ?? "text"}`;
const isWord = (text: string): boolean => /^\S+$/.test(text);

/** The cached facts of the same content. Undefined if there are none. */
export function recallFacts(
  { alias, path, sha256 }: KnownFile,
  { cache, terms }: { cache: DerivedCache; terms: TaskTerms },
): FileFacts | undefined {
  const lines = cache.get(kindOf(path), sha256)?.split("\n");
  if (lines?.length !== 3) return undefined;
  const [chars = "", declarations = "", counts = ""] = lines;
  return {
    alias,
    path,
    sha256,
    chars: Number(chars),
    declarations,
    counts: terms.recall(counts),
  };
}

/** Extracts the facts from a file's text. Counts all of its words only if the result is cached. */
export function lookOver(
  { alias, path, sha256 }: KnownFile,
  text: string,
  { cache, terms, isKept }: { cache: DerivedCache; terms: TaskTerms; isKept: boolean },
): FileFacts {
  const language = outlineLanguage(path);
  const facts: FileFacts = {
    alias,
    path,
    sha256,
    chars: text.trim() === "" ? 0 : text.length,
    declarations: scanDeclarations(codePart(path, text), language).filter(isWord).join(" "),
    counts: terms.count(text),
  };
  if (!isKept) return facts;
  const lines = [String(facts.chars), facts.declarations, formatCounts(countWords(text))];
  cache.set(kindOf(path), sha256, lines.join("\n"));
  return facts;
}
