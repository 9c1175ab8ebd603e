import type { KeyValueCommit } from "./key-value.ts";

/** Texts by key. Undefined if there is none. */
interface Texts {
  get(key: string): string | undefined;
  set(key: string, text: string | undefined): unknown;
}

/** Checks commits one after another, each against what those before it write. Writes those that hold to `texts`. */
export function acceptCommits(commits: readonly KeyValueCommit[], texts: Texts): boolean[] {
  return commits.map(({ checks, writes }) => {
    if (checks.some(([key, text]) => texts.get(key) !== text)) return false;
    for (const [key, text] of writes) texts.set(key, text);
    return true;
  });
}
