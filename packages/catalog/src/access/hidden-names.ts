import { maxNesting } from "../record/clean-value.ts";

/** Finds names in texts and values, so that what is hidden is not told by what stands beside it. */
export interface HiddenNames {
  isEmpty: boolean;
  /** True where a text has a hidden name as a word of its own; case does not matter. */
  isNamedIn(text: string): boolean;
  /**
   * The value without members, entries and texts that name something hidden; undefined where nothing is left of a text. What lies
   * deeper than the 32 levels of a record is removed.
   */
  removeFrom(value: unknown): unknown;
  /** The text with every hidden name as `[hidden]`. */
  maskIn(text: string): string;
}

/** A matcher for hidden column names. */
export function createHiddenNames(names: readonly string[]): HiddenNames {
  const wanted = [
    ...new Set(names.map((name) => name.toLowerCase()).filter((name) => name.trim() !== "")),
  ];
  if (wanted.length === 0) return nothingHidden;
  wanted.sort((left, right) => right.length - left.length || (left < right ? -1 : 1));
  const parts = wanted.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const source = `(?<![\\p{L}\\p{N}_])(?:${parts.join("|")})(?![\\p{L}\\p{N}_])`;
  const one = new RegExp(source, "iu");
  const all = new RegExp(source, "giu");
  const isNamedIn = (text: string): boolean => one.test(text);
  const removeAt = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return isNamedIn(value) ? undefined : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxNesting) return undefined;
    if (Array.isArray(value))
      return value.map((item) => removeAt(item, depth + 1)).filter((item) => item !== undefined);
    const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const kept = isNamedIn(name) ? undefined : removeAt(member, depth + 1);
      return kept === undefined ? [] : [[name, kept]];
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
