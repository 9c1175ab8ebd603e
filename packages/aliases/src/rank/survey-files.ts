import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";

import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry, AliasStat } from "../registry/alias-registry.ts";
import type { TaskTerms } from "./task-words.ts";
import { readFacts, type FileFacts } from "./file-facts.ts";

/** The current files in a registry. */
interface SurveyedFiles {
  /** Facts about files that have text to show. */
  facts: FileFacts[];
  omitted: UnreadFile[];
}

/** Progress of building a pack. */
export interface PackEvent {
  type: "files_read" | "files_outlined" | "fitted";
  done: number;
  total: number;
}

/** A file without text to show, and the reason. */
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

const FILES_A_STEP = 64;

/** Collects the facts about the files found by `stat`. Does not read a file if its facts are cached. */
export async function surveyFiles(
  stats: AliasStat[],
  options: SurveyOptions,
): Promise<SurveyedFiles> {
  const surveyed: SurveyedFiles = { facts: [], omitted: [] };
  for (const [position, stat] of stats.entries()) {
    const found = await readFacts(stat, options);
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
