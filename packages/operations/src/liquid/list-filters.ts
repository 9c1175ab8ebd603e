import { valueAt } from "@ccl/core/json";
import { filterText } from "./filter-text.ts";
import {
  chargeSearch,
  eachItem,
  type FilterMeter,
  patternOf,
  TemplateError,
  type TemplateFilter,
} from "./template-filter.ts";

// Comparing two keys takes about as long as making that many characters.
const comparisonWork = 4;

type Scalar = string | number | boolean | null | undefined;

/** Filters over lists. Ours, since those of the library neither look at the clock nor at how deep a value goes. */
export const listFilters: Readonly<Record<string, TemplateFilter>> = {
  first: (_meter, value, [count]) => endOf(value, { count, isFirst: true }),
  last: (_meter, value, [count]) => endOf(value, { count, isFirst: false }),
  size: (_meter, value) => (typeof value === "string" || Array.isArray(value) ? value.length : 0),
  join(meter, value, [separator = " "]) {
    const between = filterText(meter, separator);
    const texts: string[] = [];
    eachItem(meter, listOf(value), (item) => {
      meter.charge(between.length);
      texts.push(filterText(meter, item));
    });
    return texts.join(between);
  },
  concat(meter, value, [more]) {
    const left = listOf(value);
    const right = listOf(more);
    meter.charge(left.length + right.length);
    return left.concat(right);
  },
  reverse(meter, value) {
    const list = listOf(value);
    meter.charge(list.length);
    return list.toReversed();
  },
  slice(meter, value, [begin, length = 1]) {
    const from = wholeNumber(begin);
    const isText = !Array.isArray(value);
    const source = isText ? filterText(meter, value) : value;
    const start = from < 0 ? source.length + from : from;
    if (start < 0) return isText ? "" : [];
    meter.charge(source.length);
    return source.slice(start, start + Math.max(0, wholeNumber(length)));
  },
  map(meter, value, [property]) {
    const keys = keysOf(property);
    const results: unknown[] = [];
    eachItem(meter, listOf(value), (item) => results.push(valueAt(item, keys)));
    return results;
  },
  where: (meter, value, [property, expected]) =>
    matching(meter, value, { property, expected, isWanted: true }),
  reject: (meter, value, [property, expected]) =>
    matching(meter, value, { property, expected, isWanted: false }),
  find: (meter, value, [property, expected]) =>
    matching(meter, value, { property, expected, isWanted: true })[0],
  has: (meter, value, [property, expected]) =>
    matching(meter, value, { property, expected, isWanted: true }).length > 0,
  compact: (meter, value) => kept(meter, value, (item) => item !== null && item !== undefined),
  uniq(meter, value) {
    const seen = new Set<unknown>();
    return kept(meter, value, (item) => {
      if (seen.has(item)) return false;
      seen.add(item);
      return true;
    });
  },
  sum(meter, value, [property]) {
    let total = 0;
    eachItem(meter, listOf(value), (item) => {
      total += numberOf(property === undefined ? item : valueAt(item, keysOf(property)));
    });
    return total;
  },
  sort: (meter, value, [property]) => sorted(meter, value, { property, ignoresCase: false }),
  sort_natural: (meter, value, [property]) => sorted(meter, value, { property, ignoresCase: true }),
};

/** Whether a text holds another, or a list a scalar. */
export function containsValue(meter: FilterMeter, haystack: unknown, needle: unknown): boolean {
  if (typeof haystack === "string") {
    meter.charge(haystack.length);
    const pattern = patternOf(filterText(meter, needle));
    chargeSearch(meter, haystack, pattern);
    return haystack.includes(pattern);
  }
  if (!Array.isArray(haystack)) return false;
  const wanted = scalarOf(needle);
  let isFound = false;
  eachItem(meter, haystack, (item) => {
    isFound ||= item === wanted;
  });
  return isFound;
}

/** A list as it is; nothing is the empty list, anything else the list of itself. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function endOf(value: unknown, { count, isFirst }: { count: unknown; isFirst: boolean }): unknown {
  const list = listOf(value);
  if (count === undefined) return isFirst ? list[0] : list.at(-1);
  const length = Math.max(0, wholeNumber(count));
  if (isFirst) return list.slice(0, length);
  return length === 0 ? [] : list.slice(-length);
}

function matching(
  meter: FilterMeter,
  value: unknown,
  { property, expected, isWanted }: { property: unknown; expected: unknown; isWanted: boolean },
): unknown[] {
  const keys = keysOf(property);
  const wanted = scalarOf(expected);
  return kept(meter, value, (item) => {
    const actual = valueAt(item, keys);
    const isMatch =
      wanted === undefined
        ? actual !== false && actual !== null && actual !== undefined
        : actual === wanted;
    return isMatch === isWanted;
  });
}

function kept(meter: FilterMeter, value: unknown, isKept: (item: unknown) => boolean): unknown[] {
  const results: unknown[] = [];
  eachItem(meter, listOf(value), (item) => {
    if (isKept(item)) results.push(item);
  });
  return results;
}

/** Numbers before texts, then by code units; what is neither keeps its order at the end. */
function sorted(
  meter: FilterMeter,
  value: unknown,
  { property, ignoresCase }: { property: unknown; ignoresCase: boolean },
): unknown[] {
  const keys = property === undefined ? [] : keysOf(property);
  const entries: { item: unknown; key: string | number | undefined }[] = [];
  eachItem(meter, listOf(value), (item) => {
    const read = valueAt(item, keys);
    const key = typeof read === "string" || typeof read === "number" ? read : undefined;
    entries.push({ item, key: ignoresCase && typeof key === "string" ? key.toLowerCase() : key });
  });
  let comparisons = 0;
  entries.sort((left, right) => {
    comparisons += 1;
    if ((comparisons & 0xff) === 0) {
      meter.charge(0x100 * comparisonWork);
      meter.checkTime();
    }
    return compareKeys(left.key, right.key);
  });
  return entries.map(({ item }) => item);
}

function compareKeys(
  left: string | number | undefined,
  right: string | number | undefined,
): number {
  if (typeof left !== typeof right) return rankOf(left) - rankOf(right);
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

function rankOf(key: string | number | undefined): number {
  if (key === undefined) return 2;
  return typeof key === "number" ? 0 : 1;
}

function keysOf(property: unknown): string[] {
  if (typeof property === "number") return [String(property)];
  if (typeof property !== "string")
    throw new TemplateError('A property is named by a text such as "a.b"');
  return patternOf(property).split(".");
}

function scalarOf(value: unknown): Scalar {
  if (typeof value !== "object" || value === null) return isScalar(value) ? value : undefined;
  throw new TemplateError(
    "Lists and objects cannot be looked for; compare with a text, a number or a boolean",
  );
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean", "undefined"].includes(typeof value);
}

/** A number, or a text that is one; 0 otherwise. */
export function numberOf(value: unknown): number {
  const read = typeof value === "string" && value.length < 64 ? Number(value) : value;
  return typeof read === "number" && !Number.isNaN(read) ? read : 0;
}

function wholeNumber(value: unknown): number {
  return Math.trunc(numberOf(value));
}
