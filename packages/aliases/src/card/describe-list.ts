import { describeItems } from "./describe-items.ts";

/** A named item, with its text if it has one. */
export interface NamedItem {
  key: string;
  value?: string | undefined;
}

/** Describes which items were added, removed or changed. `noun` is the singular name of an item. */
export function describeList(
  noun: string,
  before: readonly NamedItem[],
  after: readonly NamedItem[],
): string[] {
  return describeItems(before, after, {
    key: (item) => item.key,
    added: ({ key, value }) => `${noun} added: ${value === undefined ? key : `${key}: ${value}`}`,
    removed: ({ key }) => `${noun} removed: ${key}`,
    changed: (was, { key, value }) =>
      was.value === value ? [] : [`${noun} changed: ${key}: ${was.value} -> ${value}`],
  });
}
