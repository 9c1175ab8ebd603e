import type { Clock } from "@ccl/core";

import {
  chargeSearch,
  type FilterMeter,
  filterText,
  itemWork,
  numberOf,
  patternOf,
  requireScalar,
} from "./template-filter.ts";

/** Checks and charges for the value and arguments of a library filter before it runs. */
export type ArgumentGuard = (meter: FilterMeter, values: readonly unknown[]) => unknown[];

/** Converts everything except numbers to text. */
const asTexts: ArgumentGuard = (meter, [value, ...rest]) => [
  filterText(meter, value),
  ...rest.map((item) => (typeof item === "number" ? item : filterText(meter, item))),
];

/** Like `asTexts`, for a filter that searches the value for its first argument. */
const asSearch: ArgumentGuard = (meter, [value, given, ...rest]) => {
  const text = filterText(meter, value);
  const pattern = patternOf(filterText(meter, given));
  chargeSearch(meter, text, pattern);
  return [text, pattern, ...rest.map((item) => filterText(meter, item))];
};

const asNumbers: ArgumentGuard = (_, values) => values.map(numberOf);

const asLists: ArgumentGuard = (meter, values) => {
  for (const value of values) if (Array.isArray(value)) meter.charge(value.length * itemWork);
  return [...values];
};

/** Takes a list, perhaps a property name, and the value to compare with. */
const asQuery: ArgumentGuard = (meter, [list, property, ...expected]) => {
  for (const value of expected) requireScalar(value);
  const names = property === undefined ? [] : [patternOf(filterText(meter, property))];
  return [...asLists(meter, [list]), ...names, ...expected];
};

/** Takes a list or a string, and numbers. */
const asPart: ArgumentGuard = (meter, [value, ...rest]) => [
  ...(Array.isArray(value) ? asLists(meter, [value]) : [filterText(meter, value)]),
  ...rest.map((item) => Math.trunc(numberOf(item))),
];

/** Formats dates by the injected clock: the strings `now` and `today` mean its time. */
function asDate(clock: Clock): ArgumentGuard {
  return (meter, [value, ...rest]) => {
    const text = typeof value === "number" ? value : filterText(meter, value);
    const date = text === "now" || text === "today" ? clock.now() / 1_000 : text;
    return [
      date,
      ...rest.map((item) => (typeof item === "number" ? item : patternOf(filterText(meter, item)))),
    ];
  };
}

/** Returns the library's filters, each with the guard of its arguments. */
export function libraryFilters(clock: Clock): readonly (readonly [ArgumentGuard, string])[] {
  return [
    [
      asTexts,
      "append prepend upcase downcase capitalize strip lstrip rstrip strip_newlines squish",
    ],
    [asTexts, "normalize_whitespace number_of_words truncate truncatewords"],
    [asTexts, "escape escape_once newline_to_br strip_html url_encode slugify"],
    [asSearch, "remove remove_first remove_last replace replace_first replace_last split"],
    [asNumbers, "abs at_least at_most ceil divided_by floor minus plus modulo times round"],
    [asLists, "concat default reverse size uniq"],
    [asQuery, "find has map reject where sort sort_natural sum"],
    [asPart, "slice"],
    [asDate(clock), "date"],
  ];
}
