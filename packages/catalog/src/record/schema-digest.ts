import { inertText } from "./inert-text.ts";
import type { ResourceColumn, ResourceInput } from "./resource-record.ts";
import { isTime, shortType } from "./short-type.ts";

/** Number of fields in a digest. */
export const digestSize = 5;
/** Maximum number of columns to consider. */
const maxColumns = 2_000;
/** Maximum number of characters of prose to read. */
const maxProse = 20_000;

/**
 * Names too common to describe a resource. The list is fixed, because counting names in other
 * records could reveal hidden ones.
 */
const commonNames = new Set(
  "id uuid key name code note description created_at updated_at".split(" "),
);

/** True for a column tagged `pii`, or `pii:` followed by anything but `none`. */
export function isPersonal({ tags }: ResourceColumn): boolean {
  return (tags ?? []).some((tag) => /^pii(?:$|[:=.](?!none$))/i.test(tag.trim()));
}

/**
 * Picks the five columns that best characterize a resource, as `name:type` in column order. It prefers the key, a
 * time, columns with a description, and columns that the title, the description or the examples mention. Common names
 * come last. Personal columns are left out.
 */
export function deriveDigest(resource: ResourceInput): string[] {
  const columns = (resource.columns ?? [])
    .slice(0, maxColumns)
    .filter((column) => !isPersonal(column));
  const prose = proseOf(resource);
  const scored = columns.map((column, position) => ({
    column,
    position,
    score: keyScore(column) + columnRelevance(column, prose),
  }));
  const time = scored.find(({ column }) => isTime(column.type));
  if (time !== undefined) time.score += 4;
  scored.sort((left, right) => right.score - left.score || left.position - right.position);
  const chosen = scored.slice(0, digestSize).sort((left, right) => left.position - right.position);
  return chosen.map(({ column }) => digestEntry(column));
}

/** Formats a column as `name:type`. */
function digestEntry({ name, type }: ResourceColumn): string {
  const short = inertText(name, 60);
  return type === undefined || type === "" ? short : `${short}:${shortType(type)}`;
}

/** Returns the name in a digest entry, without its type. */
export function digestName(entry: string): string {
  const colon = entry.lastIndexOf(":");
  return colon > 0 ? entry.slice(0, colon) : entry;
}

/** Returns digest entries whose column is missing or has another type. */
export function staleDigest({ schema_digest = [], columns }: ResourceInput): string[] {
  if (columns === undefined || columns.length === 0) return [];
  const names = new Set(columns.map(({ name }) => name));
  return schema_digest.filter(
    (entry) => !names.has(entry) && !columns.some((column) => isEntryOf(entry, column)),
  );
}

/** True if the entry names the column, with or without its type. A long name may be cut. */
export function isEntryOf(entry: string, column: ResourceColumn): boolean {
  const { name, type } = column;
  if (entry === name) return true;
  if (!entry.startsWith(`${name}:`)) return entry === digestEntry(column);
  const digestType = entry.slice(name.length + 1);
  return type === undefined || digestType === type || shortType(digestType) === shortType(type);
}

function keyScore({ pk, fk, index }: ResourceColumn): number {
  return (pk === true ? 6 : 0) + (fk === undefined ? 0 : 1) + (index === undefined ? 0 : 0.5);
}

function columnRelevance(column: ResourceColumn, prose: ReadonlyMap<string, number>): number {
  const rarity = commonNames.has(column.name.toLowerCase()) ? 1 : 3;
  const words = wordsOf(column.name);
  const mentions =
    words.reduce((sum, word) => sum + Math.min(3, prose.get(word) ?? 0), 0) /
    Math.max(1, words.length);
  const described = column.description === undefined || column.description === "" ? 0 : 0.5;
  return rarity * (0.3 + described + mentions) * 0.5;
}

function proseOf({ title, description = "", examples = [] }: ResourceInput): Map<string, number> {
  const text = [
    title,
    description.slice(0, maxProse),
    ...examples.slice(0, 20).map(({ task }) => task),
  ].join(" ");
  const counts = new Map<string, number>();
  for (const word of wordsOf(text.slice(0, maxProse)))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Splits an identifier or sentence into words, including snake and camel case. Drops a plural `s`. */
function wordsOf(text: string): string[] {
  const split = text.slice(0, maxProse).replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2");
  const words = split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word));
}
