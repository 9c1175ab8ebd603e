import { AliasesError } from "../aliases-error.ts";
import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import { scanImports } from "../outline/scan-imports.ts";
import type { AliasContent, AliasEntry } from "../registry/alias-registry.ts";
import type { PackOmission, PackOptions } from "./pack.ts";

/** A named text file with what a quick look over it finds. */
export interface PackFile {
  alias: string;
  path: string;
  sha8: string;
  sha256: string;
  text: string;
  declarations: string[];
  imports: string[];
}

/** The files of a registry as they are now. */
export interface PackFiles {
  /** Those that have something to show. */
  files: PackFile[];
  /** All that could be read, as a snapshot records them. */
  contents: AliasContent[];
  omitted: PackOmission[];
}

const READS_AT_ONCE = 32;
const SCAN_KIND = "scan-1";

/** Reads every named file as it is on disk now, in the registry's order. */
export async function readPackFiles(options: Pick<PackOptions, "registry" | "signal" | "onEvent">): Promise<PackFiles> {
  const { registry, signal } = options;
  const entries = registry.list();
  const found: PackFiles = { files: [], contents: [], omitted: [] };
  for (let start = 0; start < entries.length; start += READS_AT_ONCE) {
    throwIfAborted(signal);
    const batch = entries.slice(start, start + READS_AT_ONCE);
    const contents = await Promise.all(batch.map((entry) => registry.resolve(entry.alias, signal && { signal })));
    for (const [position, content] of contents.entries()) {
      const entry = batch[position];
      if (entry !== undefined) place(entry, content.ok ? content.value : undefined, { options, found });
    }
    options.onEvent?.({
      type: "files_read",
      done: Math.min(start + READS_AT_ONCE, entries.length),
      total: entries.length,
    });
  }
  return found;
}

function place(
  entry: AliasEntry,
  content: AliasContent | undefined,
  to: { options: Pick<PackOptions, "registry">; found: PackFiles },
): void {
  const { alias, path } = entry;
  if (content !== undefined) to.found.contents.push(content);
  if (content === undefined) to.found.omitted.push({ alias, path, reason: "unreadable" });
  else if (content.text === undefined) to.found.omitted.push({ alias, path, reason: "binary" });
  else if (content.text.trim() === "") to.found.omitted.push({ alias, path, reason: "empty" });
  else to.found.files.push(lookOver({ ...content, text: content.text }, to.options.registry.cache));
}

function lookOver(content: AliasContent & { text: string }, cache: PackOptions["registry"]["cache"]): PackFile {
  const { alias, path, sha8, sha256, text } = content;
  const language = outlineLanguage(path);
  const kind = `${SCAN_KIND}-${language ?? "text"}`;
  const cached = cache.get(kind, sha256)?.split("\n");
  if (cached !== undefined) {
    const [declarations = "", imports = ""] = cached;
    return { alias, path, sha8, sha256, text, declarations: words(declarations), imports: words(imports) };
  }
  const declarations = scanDeclarations(text, language).filter(isWord);
  const imports = scanImports(text, language).filter(isWord);
  cache.set(kind, sha256, `${declarations.join(" ")}\n${imports.join(" ")}`);
  return { alias, path, sha8, sha256, text, declarations, imports };
}

const isWord = (text: string): boolean => /^\S+$/.test(text);
const words = (line: string): string[] => (line === "" ? [] : line.split(" "));

/** Ends the work where the caller no longer wants it. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AliasesError("aborted", "The pack was aborted.", { cause: signal.reason });
}
