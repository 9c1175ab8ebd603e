import type { FlatPair } from "./flatten-value.ts";
import { renderPair } from "./profile-card.ts";
import { describeItems } from "./describe-items.ts";

/** Describes which settings were added, removed or changed. Hides the values of secrets. */
export function describeProfile(before: readonly FlatPair[], after: readonly FlatPair[]): string[] {
  return describeItems(before, after, {
    key: ({ key }) => key,
    added: (pair) => `key added: ${renderPair(pair)}`,
    removed: ({ key }) => `key removed: ${key}`,
    changed: (was, pair) => {
      if (was.value === pair.value) return [];
      const [old, fresh] = [renderPair(was), renderPair(pair)];
      if (old === fresh) return [`key changed: ${pair.key} (value hidden)`];
      return [`key changed: ${old} -> ${fresh.slice(fresh.indexOf("=") + 1)}`];
    },
  });
}
