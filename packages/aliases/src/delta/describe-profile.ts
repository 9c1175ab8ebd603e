import type { FlatPair } from "../card/flatten-value.ts";
import { renderPair } from "../card/profile-card.ts";

/** Describes which settings were added, removed or changed. The values of secrets stay hidden. */
export function describeProfile(before: readonly FlatPair[], after: readonly FlatPair[]): string[] {
  const old = new Map(before.map((pair) => [pair.key, pair]));
  const fresh = new Map(after.map((pair) => [pair.key, pair]));
  const added = after
    .filter(({ key }) => !old.has(key))
    .map((pair) => `key added: ${renderPair(pair)}`);
  const removed = before
    .filter(({ key }) => !fresh.has(key))
    .map(({ key }) => `key removed: ${key}`);
  const changed = after.flatMap((pair) => {
    const was = old.get(pair.key);
    if (was === undefined || was.value === pair.value) return [];
    const [oldShown, newShown] = [renderPair(was), renderPair(pair)];
    if (oldShown === newShown) return [`key changed: ${pair.key} (value hidden)`];
    return [`key changed: ${oldShown} -> ${newShown.slice(newShown.indexOf("=") + 1)}`];
  });
  return [...added, ...removed, ...changed];
}
