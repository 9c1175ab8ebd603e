import type { KeyValueCommit } from "./key-value.ts";

/** Looks up text by key. Undefined if there is none. */
interface Texts {
  get(key: string): string | undefined;
  set(key: string, text: string | undefined): unknown;
}

/** Checks each commit in turn against what earlier ones write. Writes those that pass to `texts`. */
export function acceptCommits(commits: readonly KeyValueCommit[], texts: Texts): boolean[] {
  return commits.map(({ checks, writes }) => {
    if (checks.some(([key, text]) => texts.get(key) !== text)) return false;
    for (const [key, text] of writes) texts.set(key, text);
    return true;
  });
}
