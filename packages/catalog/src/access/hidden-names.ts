import { maxNesting } from "../record/clean-value.ts";

/** Finds hidden names in strings and values, so that the visible parts do not reveal them. */
export interface HiddenNames {
  isEmpty: boolean;
  /** True if the text contains a hidden name as a whole word, ignoring case. */
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
  const hidden = [
    ...new Set(names.map((name) => name.toLowerCase()).filter((name) => name.trim() !== "")),
  ];
  if (hidden.length === 0) return nothingHidden;
  hidden.sort((left, right) => right.length - left.length || (left < right ? -1 : 1));
  const parts = hidden.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const source = `(?<![\\p{L}\\p{N}_])(?:${parts.join("|")})(?![\\p{L}\\p{N}_])`;
  const first = new RegExp(source, "iu");
  const all = new RegExp(source, "giu");
  const isNamedIn = (text: string): boolean => first.test(text);
  const removeAt = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return isNamedIn(value) ? undefined : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxNesting) return undefined;
    if (Array.isArray(value))
      return value.map((item) => removeAt(item, depth + 1)).filter((item) => item !== undefined);
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const visible = isNamedIn(name) ? undefined : removeAt(member, depth + 1);
      return visible === undefined ? [] : [[name, visible]];
    });
    return Object.fromEntries(members);
  };
  const removeFrom = (value: unknown): unknown => removeAt(value, 0);
  return { isEmpty: false, isNamedIn, removeFrom, maskIn: (text) => text.replace(all, "[hidden]") };
}

const nothingHidden: HiddenNames = {
  isEmpty: true,
  isNamedIn: () => false,
  removeFrom: (value) => value,
  maskIn: (text) => text,
};
