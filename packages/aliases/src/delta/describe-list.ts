/** A named item, with its text if it has one. */
export interface NamedItem {
  key: string;
  value?: string | undefined;
}

/** Describes which items were added, removed or changed. `noun` names one item. */
export function describeList(
  noun: string,
): (before: readonly NamedItem[], after: readonly NamedItem[]) => string[] {
  const render = ({ key, value }: NamedItem): string =>
    value === undefined ? key : `${key}: ${value}`;
  return (before, after) => {
    const old = new Map(before.map((item) => [item.key, item]));
    const fresh = new Map(after.map((item) => [item.key, item]));
    const added = [...fresh.values()].filter((item) => !old.has(item.key));
    const removed = [...old.values()].filter((item) => !fresh.has(item.key));
    const changed = [...fresh.values()].filter(
      (item) => old.has(item.key) && old.get(item.key)?.value !== item.value,
    );
    return [
      ...added.map((item) => `${noun} added: ${render(item)}`),
      ...removed.map((item) => `${noun} removed: ${item.key}`),
      ...changed.map(
        (item) => `${noun} changed: ${item.key}: ${old.get(item.key)?.value} -> ${item.value}`,
      ),
    ];
  };
}
