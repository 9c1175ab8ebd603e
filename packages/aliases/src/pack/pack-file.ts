import { AliasesError } from "../aliases-error.ts";
import type { AliasContent, AliasStat } from "../registry/alias-registry.ts";
import { lookOver, recallFacts, type FileFacts, type KnownFile } from "./file-facts.ts";
import type { PackOmission, PackOptions } from "./pack.ts";

/** A named text file, ready to be shown. */
export interface PackFile {
  alias: string;
  path: string;
  sha8: string;
  sha256: string;
  text: string;
}

/** The files of a registry as they are now. */
export interface SurveyedFiles {
  /** Those that have something to show. */
  facts: FileFacts[];
  /** All of them, as a snapshot records them. */
  stats: AliasStat[];
  omitted: PackOmission[];
}

type SurveyOptions = Pick<PackOptions, "registry" | "signal" | "onEvent">;

const FILES_A_STEP = 64;

/** Looks over every named file; one that was looked over before and has not changed is not read. */
export async function surveyFiles(options: SurveyOptions): Promise<SurveyedFiles> {
  const { registry, signal } = options;
  const stats = await registry.stat(signal && { signal });
  const surveyed: SurveyedFiles = { facts: [], stats, omitted: [] };
  for (const [position, stat] of stats.entries()) {
    const found = await survey(stat, options);
    if (typeof found === "string") surveyed.omitted.push({ alias: stat.alias, path: stat.path, reason: found });
    else surveyed.facts.push(found);
    if (position % FILES_A_STEP === 0 || position === stats.length - 1) {
      throwIfAborted(signal);
      options.onEvent?.({ type: "files_read", done: position + 1, total: stats.length });
    }
  }
  return surveyed;
}

async function survey(stat: AliasStat, options: SurveyOptions): Promise<FileFacts | PackOmission["reason"]> {
  const { cache, isPersistent } = options.registry;
  if (!isKnown(stat)) return "unreadable";
  if (stat.isBinary) return "binary";
  const recalled = recallFacts(stat, cache);
  if (recalled !== undefined) return recalled.chars === 0 ? "empty" : recalled;
  const content = await readFile(stat, options);
  if (content === undefined) return "unreadable";
  const facts = lookOver({ ...stat, sha256: content.sha256 }, content.text, { cache, isKept: isPersistent });
  return facts.chars === 0 ? "empty" : facts;
}

function isKnown(stat: AliasStat): stat is KnownFile {
  return stat.sha256 !== undefined;
}

/** The file's content now; undefined when it is gone, or no text any more. */
export async function readFile(
  { alias }: { alias: string },
  { registry, signal }: SurveyOptions,
): Promise<PackFile | undefined> {
  const content = await registry.resolve(alias, signal && { signal });
  return content.ok && hasText(content.value) ? content.value : undefined;
}

function hasText(content: AliasContent): content is AliasContent & { text: string } {
  return content.text !== undefined;
}

/** Ends the work where the caller no longer wants it. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AliasesError("aborted", "The pack was aborted.", { cause: signal.reason });
}
