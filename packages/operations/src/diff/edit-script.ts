import { diffArrays } from "diff";

/** A run of items that are in both lists, in the former one alone, or in the latter alone. */
export interface EditRun {
  kind: "same" | "removed" | "added";
  count: number;
}

// The smallest script of two long lists with little in common can take minutes.
const maxEdits = 1_000;

/** How one list becomes another, by few edits; by many, what differs goes as a whole. */
export function editScript<Item>(before: readonly Item[], after: readonly Item[]): EditRun[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  const runs: EditRun[] = [
    { kind: "same", count: head },
    ...(smallestScript(removed, added) ?? [
      { kind: "removed", count: removed.length },
      { kind: "added", count: added.length },
    ]),
    { kind: "same", count: tail },
  ];
  return runs.filter(({ count }) => count > 0);
}

function smallestScript<Item>(before: Item[], after: Item[]): EditRun[] | undefined {
  const changes = diffArrays(before, after, { maxEditLength: maxEdits });
  return changes?.map(({ removed, added, count }) => ({
    kind: removed ? "removed" : added ? "added" : "same",
    count,
  }));
}
