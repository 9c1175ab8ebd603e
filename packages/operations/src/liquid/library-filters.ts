import type { Clock } from "@ccl/core";
import { filters } from "liquidjs";

import { filterText } from "./filter-text.ts";
import { numberOf } from "./list-filters.ts";
import { chargeSearch, patternOf, type FilterMeter } from "./template-filter.ts";

/** How the arguments of a filter of the library are checked before it runs. */
export type ArgumentGuard = (meter: FilterMeter, values: readonly unknown[]) => unknown[];

/** Texts and numbers as they are, everything else as text. */
const asTexts: ArgumentGuard = (meter, [value, ...rest]) => [
  filterText(meter, value),
  ...rest.map((item) => (typeof item === "number" ? item : filterText(meter, item))),
];

/** The same, where the first argument is looked for in the value. */
const asSearch: ArgumentGuard = (meter, [value, given, ...rest]) => {
  const text = filterText(meter, value);
  const pattern = patternOf(filterText(meter, given));
  chargeSearch(meter, text, pattern);
  return [text, pattern, ...rest.map((item) => filterText(meter, item))];
};

const asNumbers: ArgumentGuard = (_meter, values) => values.map(numberOf);

function namesWith(guard: ArgumentGuard, names: string): [string, ArgumentGuard][] {
  return names.split(" ").map((name) => [name, guard]);
}

/** Filters of the library that cost no more than the texts and numbers that they are given. */
export const libraryFilters: ReadonlyMap<string, ArgumentGuard> = new Map([
  ...namesWith(
    asTexts,
    "append prepend upcase downcase capitalize strip lstrip rstrip strip_newlines squish",
  ),
  ...namesWith(asTexts, "normalize_whitespace number_of_words truncate truncatewords"),
  ...namesWith(asTexts, "escape escape_once newline_to_br strip_html url_encode slugify"),
  ...namesWith(
    asSearch,
    "remove remove_first remove_last replace replace_first replace_last split",
  ),
  ...namesWith(
    asNumbers,
    "abs at_least at_most ceil divided_by floor minus plus modulo times round",
  ),
]);

/** Dates by the injected clock: `now` and `today` are texts that mean it. */
export function dateArguments(clock: Clock): ArgumentGuard {
  return (meter, [value, ...rest]) => {
    const text = typeof value === "number" ? value : filterText(meter, value);
    const date = text === "now" || text === "today" ? clock.now() / 1_000 : text;
    return [
      date,
      ...rest.map((item) => (typeof item === "number" ? item : patternOf(filterText(meter, item)))),
    ];
  };
}

/** The library's own code of a filter; undefined for a name that it does not know. */
export function libraryHandler(
  name: string,
): ((this: unknown, ...values: unknown[]) => unknown) | undefined {
  const known: unknown = Reflect.get(filters, name);
  if (isHandler(known)) return known;
  const handler: unknown =
    typeof known === "object" && known !== null ? Reflect.get(known, "handler") : undefined;
  return isHandler(handler) ? handler : undefined;
}

function isHandler(value: unknown): value is (this: unknown, ...values: unknown[]) => unknown {
  return typeof value === "function";
}
