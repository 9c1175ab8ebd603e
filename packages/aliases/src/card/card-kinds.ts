import { codeCard, readCode } from "./code-card.ts";
import { decisionCard } from "./decision-card.ts";
import { describeCode } from "./describe-code.ts";
import { describeDecision } from "./describe-decision.ts";
import { describeList, type NamedItem } from "./describe-list.ts";
import { describeProfile } from "./describe-profile.ts";
import { describeSchema } from "./describe-schema.ts";
import type { ReadKind } from "./card.ts";
import { docCard, readHeadings } from "./doc-card.ts";
import { optionsCard } from "./options-card.ts";
import { packGroups } from "./pack-items.ts";
import { profileCard, readProfile } from "./profile-card.ts";
import { readDecision } from "./read-decision.ts";
import { readOptions } from "./read-options.ts";
import { readSchema, schemaCard } from "./schema-card.ts";
import type { StructuredText } from "./structured-text.ts";
import { casesOf, readTests } from "./test-card.ts";

/** How to show and compare files of one kind. Both calls return undefined if a text is not of this kind. */
interface KindReader {
  /** Returns the lines of a card. */
  card(source: StructuredText): Promise<string[] | undefined>;
  /** Describes the changes in words. */
  changes(before: StructuredText, after: StructuredText): Promise<string[] | undefined>;
}

function kind<T>(
  read: (source: StructuredText) => Promise<T | undefined> | T | undefined,
  toLines: (content: T) => string[],
  describe: (before: T, after: T) => string[],
): KindReader {
  return {
    async card(source) {
      const content = await read(source);
      return content && toLines(content);
    },
    async changes(before, after) {
      const [old, fresh] = [await read(before), await read(after)];
      return old && fresh && describe(old, fresh);
    },
  };
}

function namesOf<T>(
  noun: string,
  itemsOf: (content: T) => NamedItem[],
): (before: T, after: T) => string[] {
  return (before, after) => describeList(noun, itemsOf(before), itemsOf(after));
}

/** Readers for all kinds except `plain`, which suits any text. */
export const CARD_KINDS: Record<ReadKind, KindReader> = {
  decision: kind(({ masked }) => readDecision(masked), decisionCard, describeDecision),
  options: kind(
    readOptions,
    optionsCard,
    namesOf("option", (options) => options.map(({ id, summary }) => ({ key: id, value: summary }))),
  ),
  schema: kind(readSchema, schemaCard, describeSchema),
  profile: kind(readProfile, profileCard, describeProfile),
  test: kind(({ path, masked }) => readTests(path, masked), packGroups, namesOf("test", casesOf)),
  doc: kind(
    ({ masked }) => readHeadings(masked),
    docCard,
    namesOf("heading", (sections) => sections.map(({ heading }) => ({ key: heading }))),
  ),
  code: kind(readCode, codeCard, describeCode),
};
