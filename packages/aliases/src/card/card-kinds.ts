import { isRecord, type JsonRecord } from "@ccl/core/json";
import { codeCard, readCode } from "./code-card.ts";
import { describeCode } from "./describe-code.ts";
import { describeList, type NamedItem } from "./describe-list.ts";
import { describeSchema } from "./describe-schema.ts";
import type { ReadKind } from "./card.ts";
import { packGroups, packItems, nameRest, type ItemGroup } from "./pack-items.ts";
import { profileCard, readProfile, renderPair } from "./profile-card.ts";
import { readDecision, type Decision } from "./read-decision.ts";
import { readOptions, type Option } from "./read-options.ts";
import type { StructuredText } from "./structured-text.ts";
import { casesOf, readTests } from "./test-card.ts";
import { plainWords, readSections, type MarkdownSection } from "./markdown-sections.ts";
import type { FlatPair } from "./flatten-value.ts";
import { describeItems, describeFacts } from "./describe-items.ts";
import { cleanItem, cutText, maxCardLines, maxCardTextLength } from "./card-lines.ts";
import { isJsonSchema, readJsonSchema } from "./json-schema-fields.ts";
import { renderField, renderRequired, type SchemaField, maxSchemaFields } from "./schema-field.ts";
import { readSchemaText } from "./schema-text-fields.ts";

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

/**
 * Lists the goal, choice, rejections, constraints and negative cases of a decision record. Shows
 * the status unless it is "accepted".
 */
function decisionCard(decision: Decision): string[] {
  const { status, goal, choice } = decision;
  const isAccepted =
    status === undefined ||
    /^(?:accepted|approved|decided|принято|утверждено)$/i.test(plainWords(status));
  return [
    ...(isAccepted ? [] : [`Status: ${plainWords(status)}`]),
    ...(goal === undefined ? [] : [`Goal: ${goal}`]),
    ...(choice === undefined ? [] : [`Choice: ${choice}`]),
    ...packItems("Rejected", decision.rejected, { maxLines: 3 }),
    ...packItems("Constraints", decision.constraints, { maxLines: 2 }),
    ...packItems("Negative", decision.negative, { maxLines: 2 }),
  ];
}

/** Describes which settings were added, removed or changed. Hides the values of secrets. */
function describeProfile(before: readonly FlatPair[], after: readonly FlatPair[]): string[] {
  return describeItems(before, after, {
    key: ({ key }) => key,
    added: (pair) => `key added: ${renderPair(pair)}`,
    removed: ({ key }) => `key removed: ${key}`,
    changed: (was, pair) => {
      if (was.value === pair.value) return [];
      const [old, fresh] = [renderPair(was), renderPair(pair)];
      if (old === fresh) return [`key changed: ${pair.key} (value hidden)`];
      return [`key changed: ${old} -> ${fresh.slice(fresh.indexOf("=") + 1)}`];
    },
  });
}

/**
 * Renders one line per option: `O1: summary; excludes O3`. May cut a long summary, but never the
 * exclusions.
 */
function optionsCard(options: readonly Option[]): string[] {
  const isOver = options.length > maxCardLines;
  const shown = options.slice(0, isOver ? maxCardLines - 1 : maxCardLines).map(renderOption);
  if (!isOver) return shown;
  return [...shown, nameRest(options.slice(shown.length).map((option) => option.id))];
}

/** Renders an option as one line of a card. */
function renderOption({ id, summary, excludes }: Option): string {
  const suffix =
    excludes.length === 0 ? "" : cutText(`; excludes ${cleanItem(excludes.join(", "))}`, 60);
  return (
    cutText(`${cleanItem(id)}: ${cleanItem(summary)}`, maxCardTextLength - suffix.length) + suffix
  );
}

/** Returns the sections of a document that have a heading, or undefined if there are none. */
function readHeadings(text: string): MarkdownSection[] | undefined {
  const headings = readSections(text).filter((section) => section.heading !== "");
  return headings.length === 0 ? undefined : headings;
}

/** Lists the headings of a document: one line for the title, then one for each chapter with its subheadings. */
function docCard(headings: readonly MarkdownSection[]): string[] {
  const [title, ...others] = headings;
  const highest = Math.min(7, ...new Set(others.map((section) => section.level)));
  const chapterLevel = Math.max(title?.level ?? 0, highest);
  const groups: ItemGroup[] = [];
  for (const { level, heading } of headings) {
    const last = groups.at(-1);
    if (last === undefined || level <= chapterLevel) groups.push({ subject: heading, items: [] });
    else last.items.push(heading);
  }
  return packGroups(groups);
}

/** Describes how the decision in a record changed. */
function describeDecision(before: Decision, after: Decision): string[] {
  const named = (items: string[]): { key: string }[] => items.map((key) => ({ key }));
  return [
    ...describeFacts(partsOf(before), partsOf(after)),
    ...describeList("rejection", named(before.rejected), named(after.rejected)),
    ...describeList("constraint", named(before.constraints), named(after.constraints)),
    ...describeList("negative case", named(before.negative), named(after.negative)),
  ];
}

function partsOf({ status, goal, choice }: Decision): [name: string, value: string][] {
  return Object.entries({ status, goal, choice }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
}

/**
 * Reads the fields of a JSON Schema, OpenAPI, GraphQL, protobuf or SQL file. If the alias marks the
 * file as a schema, also accepts a plain map of names to types.
 */
function readSchema(source: StructuredText): SchemaField[] | undefined {
  const value = source.value();
  const fields = isJsonSchema(value)
    ? readJsonSchema(value)
    : ((source.isSchema ? readTypeMap(value) : undefined) ??
      readSchemaText(source.path, source.text));
  return fields !== undefined && fields.length > 0 ? fields : undefined;
}

/** Renders one field per line, or several per line if there are more fields than lines. */
function schemaCard(fields: readonly SchemaField[]): string[] {
  const lines = fields.slice(0, maxCardLines).flatMap(renderLines);
  if (fields.length <= maxCardLines && lines.length <= maxCardLines) return lines;
  return packItems("", fields.map(renderField), { maxLines: maxCardLines, separator: ", " });
}

/** Renders a field. A long enumeration takes several lines, because a truncated one is useless. */
function renderLines(field: SchemaField): string[] {
  const line = cleanItem(renderField(field));
  if (line.length <= maxCardTextLength || field.values === undefined) return [line];
  return packItems(`${field.name}: ${field.type}${renderRequired(field)}`, field.values, {
    maxLines: 4,
    separator: ",",
  });
}

const typeWord =
  /\b(?:str(?:ing)?|text|u?int(?:eger)?\d*|float\d*|double|decimal|number|bool(?:ean)?|date(?:-?time)?|timestamp|uuid|url|email|object|dict|array|list|map|any|null|json|bytes|enum)\b/i;

/**
 * Reads the fields of a map of names to types, such as `{"id": "int", "tags": "string[]?"}`.
 * Returns undefined for anything else.
 */
function readTypeMap(value: unknown): SchemaField[] | undefined {
  const fields = isRecord(value) ? readMap(value, "", 0) : [];
  return fields.length > 0 && fields.every((field) => typeWord.test(field.type))
    ? fields
    : undefined;
}

function readMap(map: JsonRecord, prefix: string, depth: number): SchemaField[] {
  return Object.entries(map)
    .slice(0, maxSchemaFields)
    .flatMap(([name, type]): SchemaField[] => {
      if (isRecord(type) && depth < 3) return readMap(type, `${prefix}${name}.`, depth + 1);
      if (typeof type !== "string" || type.length > 200) return [{ name, type: "", facts: {} }];
      const isRequired = type.endsWith("?") ? false : undefined;
      return [{ name: prefix + name, type: type.replace(/\?$/, ""), isRequired, facts: {} }];
    });
}
