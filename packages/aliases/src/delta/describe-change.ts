import { redactSecrets } from "@ccl/core";

import { candidateKinds } from "../card/candidate-kinds.ts";
import { CARD_KINDS } from "../card/card-kinds.ts";
import { cleanLine, cutText } from "../card/card-lines.ts";
import { createStructuredText } from "../card/structured-text.ts";
import type { SnapshotEntry } from "./snapshot.ts";
import { countPatchLines } from "./text-patch.ts";

const maxNotes = 12;
const maxNoteLength = 200;

/** The states of one alias before and after a change. */
interface ChangedEntry {
  alias: string;
  before: SnapshotEntry;
  after: SnapshotEntry;
  /** Diff of the two versions. Undefined if one is unknown or they have too little in common. */
  patch?: string | undefined;
  /** Diff of the masked versions, if they contain secrets. */
  maskedPatch?: string | undefined;
}

/**
 * Describes a change in words. Uses words suited to the kind of the file's card, or line counts if
 * it has none. Returns one or more single lines with secrets masked.
 */
export async function describeChange(
  changed: ChangedEntry,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { before, after } = changed;
  const notes = await contentNotes(changed, signal);
  if (before.path !== after.path) notes.unshift(`moved from ${before.path} to ${after.path}`);
  const shown =
    notes.length > maxNotes
      ? [...notes.slice(0, maxNotes - 1), `+${notes.length - maxNotes + 1} more changes`]
      : notes;
  return shown.map((note) => cutText(cleanLine(redactSecrets(note).text), maxNoteLength));
}

async function contentNotes(
  changed: ChangedEntry,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { alias, before, after } = changed;
  if (before.sha256 === after.sha256) return [];
  if (before.text === undefined || after.text === undefined)
    return [`content changed: ${before.sha256.slice(0, 8)} -> ${after.sha256.slice(0, 8)}`];
  const { path, text } = after;
  const old = await createStructuredText({ alias, path, text: before.text }, signal);
  const fresh = await createStructuredText({ alias, path, text }, signal);
  for (const kind of candidateKinds({ alias, path, text })) {
    const notes = await CARD_KINDS[kind].changes(old, fresh);
    if (notes === undefined) continue;
    // These descriptions omit bodies and prose, so add the number of changed lines.
    const isPartial = kind === "code" || kind === "doc" || notes.length === 0;
    return isPartial ? [...notes, ...describeProse(changed), lineNote(changed)] : notes;
  }
  return [...describeProse(changed), lineNote(changed)];
}

const MAX_SENTENCES = 4;

/** Lists new lines of prose, which the readers of headings and fields do not see. */
function describeProse({ after, patch = "", maskedPatch }: ChangedEntry): string[] {
  if (!/\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(after.path)) return [];
  const added = (maskedPatch ?? patch)
    .split("\n")
    .filter((line) => /^\+(?!\+\+ )(?!#)\s*\S/.test(line));
  return added.slice(0, MAX_SENTENCES).map((line) => `says now: ${line.slice(1).trim()}`);
}

function lineNote({ after, patch }: ChangedEntry): string {
  if (patch === undefined) return `rewritten, ${(after.text ?? "").split("\n").length} lines now`;
  const { added, removed } = countPatchLines(patch);
  return `+${added} -${removed} lines`;
}
