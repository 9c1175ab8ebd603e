/** How to describe the differences between two lists of items. */
interface ItemWords<Item> {
  key: (item: Item) => string;
  added: (item: Item) => string;
  removed: (item: Item) => string;
  /** Called for every item that is in both versions. */
  changed?: ((was: Item, item: Item) => string[]) | undefined;
}

/** Describes the added items, then the removed ones, then what changed in the others. */
export function describeItems<Item>(
  before: readonly Item[],
  after: readonly Item[],
  { key, added, removed, changed = () => [] }: ItemWords<Item>,
): string[] {
  const old = new Map(before.map((item) => [key(item), item]));
  const fresh = new Map(after.map((item) => [key(item), item]));
  return [
    ...[...fresh].flatMap(([name, item]) => (old.has(name) ? [] : [added(item)])),
    ...[...old].flatMap(([name, item]) => (fresh.has(name) ? [] : [removed(item)])),
    ...[...fresh].flatMap(([name, item]) => {
      const was = old.get(name);
      return was === undefined ? [] : changed(was, item);
    }),
  ];
}

/** Describes which named values were added, removed or changed. */
export function describeFacts(
  before: readonly [name: string, value: string][],
  after: readonly [name: string, value: string][],
): string[] {
  return describeItems(before, after, {
    key: ([name]) => name,
    added: ([name, value]) => `${name} added: ${value}`,
    removed: ([name, value]) => `${name} removed: ${value}`,
    changed: ([name, was], [, value]) =>
      was === value ? [] : [`${name} changed: ${was} -> ${value}`],
  });
}
