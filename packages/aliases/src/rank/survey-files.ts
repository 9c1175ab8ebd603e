import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";

import { AliasesError } from "../aliases-error.ts";
import type { AliasContent, AliasRegistry, AliasStat } from "../registry/alias-registry.ts";
import type { TaskTerms } from "./task-words.ts";
import { lookOver, recallFacts, type FileFacts, type KnownFile } from "./file-facts.ts";

/** A named text file, ready to be shown. */
type PackFile = AliasContent & { text: string };

/** The current files of a registry. */
export interface SurveyedFiles {
  /** Files with text to show. */
  facts: FileFacts[];
  omitted: UnreadFile[];
}

/** Progress of a pack. */
export interface PackEvent {
  type: "files_read" | "files_outlined" | "fitted";
  done: number;
  total: number;
}

/** A file without text to show, and why. */
export interface UnreadFile {
  alias: string;
  path: string;
  reason: "binary" | "unreadable" | "empty";
}

interface SurveyOptions {
  registry: AliasRegistry;
  terms: TaskTerms;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: PackEvent) => void) | undefined;
}

/** A file's current text. Undefined if the file is gone or no longer text. */
export async function readText(
  { registry, signal }: Pick<SurveyOptions, "registry" | "signal">,
  { alias }: { alias: string },
): Promise<PackFile | undefined> {
  const content = await registry.resolve(alias, signal && { signal });
  return content.ok && hasText(content.value) ? content.value : undefined;
}

const FILES_A_STEP = 64;

/** Collects the facts of the files that `stat` found. Does not read a file whose facts are cached. */
export async function surveyFiles(
  stats: AliasStat[],
  options: SurveyOptions,
): Promise<SurveyedFiles> {
  const surveyed: SurveyedFiles = { facts: [], omitted: [] };
  for (const [position, stat] of stats.entries()) {
    const found = await survey(stat, options);
    if (typeof found === "string")
      surveyed.omitted.push({ alias: stat.alias, path: stat.path, reason: found });
    else surveyed.facts.push(found);
    if (position % FILES_A_STEP === 0 || position === stats.length - 1) {
      throwIfAborted(options.signal, AliasesError);
      callListener(options.onEvent, {
        type: "files_read",
        done: position + 1,
        total: stats.length,
      });
    }
  }
  return surveyed;
}

async function survey(
  stat: AliasStat,
  options: SurveyOptions,
): Promise<FileFacts | UnreadFile["reason"]> {
  const { registry, terms } = options;
  const { cache, isPersistent } = registry;
  if (!isKnown(stat)) return "unreadable";
  if (stat.isBinary) return "binary";
  const recalled = recallFacts(stat, { cache, terms });
  if (recalled !== undefined) return recalled.chars === 0 ? "empty" : recalled;
  const content = await readText(options, stat);
  if (content === undefined) return "unreadable";
  const facts = lookOver({ ...stat, sha256: content.sha256 }, content.text, {
    cache,
    terms,
    isKept: isPersistent,
  });
  return facts.chars === 0 ? "empty" : facts;
}

const isKnown = (stat: AliasStat): stat is KnownFile => stat.sha256 !== undefined;

function hasText(content: AliasContent): content is PackFile {
  return content.text !== undefined;
}
