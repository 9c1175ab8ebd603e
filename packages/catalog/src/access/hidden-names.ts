import { maxNesting } from "../record/clean-value.ts";
import type { ResourceColumn } from "../record/resource-record.ts";

/** Finds hidden names in strings and values, so that the visible parts do not reveal them. */
export interface HiddenNames {
  /** True if the text contains a hidden name as a whole word, in any case and any Unicode normal form. */
  isNamedIn(text: string): boolean;
  /**
   * Removes fields, entries and strings that name something hidden from a value, and anything nested deeper than a
   * record's 32 levels. Returns undefined if the value itself is a string that names something hidden.
   */
  removeFrom(value: unknown): unknown;
  /** Replaces every hidden name in the text with `[hidden]`. */
  maskIn(text: string): string;
}

/** Creates a matcher for hidden column names. */
export function createHiddenNames(names: readonly string[]): HiddenNames {
  const hidden = [...new Set(names.map(folded).filter((name) => name.trim() !== ""))];
  if (hidden.length === 0) return nothingHidden;
  hidden.sort((left, right) => right.length - left.length);
  const parts = hidden.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  // The limit of 30 marks keeps the search linear.
  const source = `(?<![\\p{L}\\p{N}_][\\p{Mn}\\p{Mc}]{0,30})(?:${parts.join("|")})(?![\\p{L}\\p{N}_\\p{Mn}\\p{Mc}])`;
  const pattern = new RegExp(source, "gu");
  const isNamedIn = (text: string): boolean => folded(text).search(pattern) >= 0;
  const removeFrom = (value: unknown, depth = 0): unknown => {
    if (typeof value === "string") return isNamedIn(value) ? undefined : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxNesting) return undefined;
    if (Array.isArray(value))
      return value.map((item) => removeFrom(item, depth + 1)).filter((item) => item !== undefined);
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const visible = isNamedIn(name) ? undefined : removeFrom(member, depth + 1);
      return visible === undefined ? [] : [[name, visible]];
    });
    return Object.fromEntries(members);
  };
  const maskIn = (text: string): string => {
    // Maps positions in the folded text to those in the text.
    const positions = [...text.matchAll(letters)].flatMap(({ 0: letter, index }) =>
      Array.from({ length: folded(letter).length }, () => index),
    );
    let masked = "";
    let end = 0;
    for (const { 0: name, index } of folded(text).matchAll(pattern)) {
      masked += `${text.slice(end, positions[index])}[hidden]`;
      end = positions[index + name.length] ?? text.length;
    }
    return masked + text.slice(end);
  };
  return { isNamedIn, removeFrom, maskIn };
}

/**
 * Creates a matcher for the names of columns that are not visible. A name that a visible column also has is not
 * hidden.
 */
export function hiddenColumnNames(
  columns: readonly ResourceColumn[],
  visible: readonly ResourceColumn[],
): HiddenNames {
  if (visible.length === columns.length) return nothingHidden;
  const seen = new Set(visible.map(({ name }) => folded(name)));
  return createHiddenNames(
    columns.map(({ name }) => name).filter((name) => !seen.has(folded(name))),
  );
}

/** A character with its combining marks. */
const letters = /[^\p{Mn}\p{Mc}]?[\p{Mn}\p{Mc}]*/gu;
/** Combining marks that are invisible, such as variation selectors. */
const invisibleMarks = /(?=[\p{Mn}\p{Mc}])\p{DI}/gu;

/**
 * Returns the same string for a text in any case, composed or decomposed. Lower case comes first, because upper case
 * changes ß to SS, but not ẞ.
 */
function folded(text: string): string {
  return text.replace(invisibleMarks, "").normalize("NFD").toLowerCase().toUpperCase();
}

const nothingHidden: HiddenNames = {
  isNamedIn: () => false,
  removeFrom: (value) => value,
  maskIn: (text) => text,
};
