import { redactSecrets } from "@ccl/core";

import { candidateKinds, kindOfAlias } from "../card/card-kinds.ts";
import { cleanLine, cutText } from "../card/card-lines.ts";
import type { CardKind } from "../card/card.ts";
import { readDecision } from "../card/read-decision.ts";
import { readSections } from "../card/markdown-sections.ts";
import { readOptions } from "../card/read-options.ts";
import { readProfile } from "../card/profile-card.ts";
import { readSchema } from "../card/schema-card.ts";
import { createStructuredText, type StructuredText } from "../card/structured-text.ts";
import { readTests } from "../card/test-card.ts";
import { describeCode } from "./describe-code.ts";
import { describeDecision } from "./describe-decision.ts";
import { describeList } from "./describe-list.ts";
import { describeProfile } from "./describe-profile.ts";
import { describeSchema } from "./describe-schema.ts";
import type { SnapshotEntry } from "./snapshot.ts";
import { countPatchLines } from "./text-patch.ts";

const maxNotes = 12;
const maxNoteLength = 200;

/** One alias before and after. */
export interface ChangedEntry {
  alias: string;
  before: SnapshotEntry;
  after: SnapshotEntry;
  /** Diff of the two versions. Undefined if one is unknown or they have too little in common. */
  patch?: string | undefined;
  /** Diff of the masked versions, if they hold secrets. */
  maskedPatch?: string | undefined;
}

/** Both versions of a changed file, for the card readers. */
interface Texts {
  alias: string;
  path: string;
  before: StructuredText;
  after: StructuredText;
}

/**
 * Describes a change in words. If the file's card has a kind, the words suit that kind, otherwise
 * they count lines. Returns one or more single lines with secrets masked.
 */
export async function describeChange(
  changed: ChangedEntry,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  const notes = [...moveNotes(changed), ...(await contentNotes(changed, options))];
  const shown =
    notes.length > maxNotes
      ? [...notes.slice(0, maxNotes - 1), `+${notes.length - maxNotes + 1} more changes`]
      : notes;
  return shown.map((note) => cutText(cleanLine(redactSecrets(note).text), maxNoteLength));
}

function moveNotes({ before, after }: ChangedEntry): string[] {
  return before.path === after.path ? [] : [`moved from ${before.path} to ${after.path}`];
}

async function contentNotes(
  changed: ChangedEntry,
  options: { signal?: AbortSignal | undefined },
): Promise<string[]> {
  const { alias, before, after } = changed;
  if (before.text === undefined || after.text === undefined || before.text === after.text)
    return hashNotes(changed);
  const { path, text } = after;
  const texts = {
    alias,
    path,
    before: await createStructuredText(path, before.text),
    after: await createStructuredText(path, text),
  };
  for (const kind of candidateKinds({ alias, path, text })) {
    const notes = await describeKind(kind, texts, options);
    if (notes === undefined) continue;
    // Descriptions of these kinds omit bodies and prose, so the number of changed lines is added.
    const isPartial = kind === "code" || kind === "doc" || notes.length === 0;
    return isPartial ? [...notes, ...describeProse(changed), lineNote(changed)] : notes;
  }
  return [...describeProse(changed), lineNote(changed)];
}

const MAX_SENTENCES = 4;

/** New lines of prose, which the readers of headings and fields do not see. */
function describeProse({ after, patch = "", maskedPatch }: ChangedEntry): string[] {
  if (!/\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(after.path)) return [];
  const added = (maskedPatch ?? patch)
    .split("\n")
    .filter((line) => /^\+(?!\+\+ )(?!#)\s*\S/.test(line));
  return added.slice(0, MAX_SENTENCES).map((line) => `says now: ${line.slice(1).trim()}`);
}

/** Compares by hash if the text is unknown or equal. */
function hashNotes({ before, after }: ChangedEntry): string[] {
  const [old, fresh] = [before.sha256.slice(0, 8), after.sha256.slice(0, 8)];
  if (before.sha256 !== after.sha256) return [`content changed: ${old} -> ${fresh}`];
  if (before.text === after.text) return [];
  return [`content unchanged, text ${after.text === undefined ? "no longer" : "now"} kept`];
}

function lineNote({ after, patch }: ChangedEntry): string {
  if (patch === undefined) return `rewritten, ${(after.text ?? "").split("\n").length} lines now`;
  const { added, removed } = countPatchLines(patch);
  return `+${added} -${removed} lines`;
}

/** Describes a change by its kind. Undefined if one of the versions is not of this kind. */
async function describeKind(
  kind: CardKind,
  texts: Texts,
  options: { signal?: AbortSignal | undefined },
): Promise<string[] | undefined> {
  const { path } = texts;
  const isLoose = kindOfAlias(texts.alias) === kind;
  switch (kind) {
    case "decision":
      return describeParsed(texts, ({ text }) => readDecision(text), describeDecision);
    case "options":
      return describeParsed(
        texts,
        (source) => readOptions(source)?.map(({ id, summary }) => ({ key: id, value: summary })),
        describeList("option"),
      );
    case "schema":
      return describeParsed(texts, (source) => readSchema(source, { isLoose }), describeSchema);
    case "profile":
      return describeParsed(texts, readProfile, describeProfile);
    case "test":
      return describeParsed(texts, ({ text }) => readCases(path, text), describeList("test"));
    case "doc":
      return describeParsed(texts, ({ text }) => readHeadings(text), describeList("heading"));
    case "code":
      return await describeCode(
        { path, before: texts.before.text, after: texts.after.text },
        options,
      );
    case "plain":
      return undefined;
  }
}

function describeParsed<T>(
  texts: Texts,
  read: (source: StructuredText) => T | undefined,
  describe: (before: T, after: T) => string[],
): string[] | undefined {
  const before = read(texts.before);
  const after = read(texts.after);
  return before === undefined || after === undefined ? undefined : describe(before, after);
}

function readCases(path: string, text: string): { key: string }[] | undefined {
  return readTests(path, text)?.flatMap(({ subject, items }) =>
    (items.length > 0 ? items : [""]).map((item) => ({
      key: [subject, item].filter((part) => part !== "").join(": "),
    })),
  );
}

function readHeadings(text: string): { key: string }[] | undefined {
  const headings = readSections(text).flatMap(({ heading }) =>
    heading === "" ? [] : [{ key: heading }],
  );
  return headings.length > 0 ? headings : undefined;
}
