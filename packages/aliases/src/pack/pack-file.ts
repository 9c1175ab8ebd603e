import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";

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
  omitted: PackOmission[];
}

type SurveyOptions = Pick<PackOptions, "registry" | "signal" | "onEvent">;

/** Reads files, and notices when one is no longer what it was when all of them were looked at. */
export interface FileReader {
  /** True once a file had another content than expected, or none. */
  readonly hasSeenChange: boolean;
  /** The file's content now; undefined when it is gone, or no text any more. */
  read(file: { alias: string; sha256?: string | undefined }): Promise<PackFile | undefined>;
}

/** A reader that has seen no change yet. */
export function createFileReader({
  registry,
  signal,
}: Pick<PackOptions, "registry" | "signal">): FileReader {
  let hasSeenChange = false;
  return {
    get hasSeenChange() {
      return hasSeenChange;
    },
    async read({ alias, sha256 }) {
      const content = await registry.resolve(alias, signal && { signal });
      if (!content.ok || content.value.sha256 !== sha256) hasSeenChange = true;
      return content.ok && hasText(content.value) ? content.value : undefined;
    },
  };
}

const FILES_A_STEP = 64;

/** Looks over files as `stat` saw them; one that was looked over before and has not changed is not read. */
export async function surveyFiles(
  stats: AliasStat[],
  options: SurveyOptions & { reader: FileReader },
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
  { registry, reader }: SurveyOptions & { reader: FileReader },
): Promise<FileFacts | PackOmission["reason"]> {
  const { cache, isPersistent } = registry;
  if (!isKnown(stat)) return "unreadable";
  if (stat.isBinary) return "binary";
  const recalled = recallFacts(stat, cache);
  if (recalled !== undefined) return recalled.chars === 0 ? "empty" : recalled;
  const content = await reader.read(stat);
  if (content === undefined) return "unreadable";
  const facts = lookOver({ ...stat, sha256: content.sha256 }, content.text, {
    cache,
    isKept: isPersistent,
  });
  return facts.chars === 0 ? "empty" : facts;
}

function isKnown(stat: AliasStat): stat is KnownFile {
  return stat.sha256 !== undefined;
}

function hasText(content: AliasContent): content is AliasContent & { text: string } {
  return content.text !== undefined;
}
