import assert from "node:assert/strict";

/** A page of any list. */
export interface Page {
  items: readonly unknown[];
  cursor?: string | undefined;
}

const maxPages = 100;

/** Reads all pages of the given size and returns their items. Fails if a page is too long or the pages do not end. */
export async function pagesOf(
  limit: number,
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Page>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await read({ limit, cursor });
    assert.ok(page.items.length <= limit, "a page is too long");
    all.push(...page.items);
    ({ cursor } = page);
    if (cursor === undefined) return all;
  }
  return assert.fail("the pages do not end");
}

/** Options with an aborted signal. */
export function aborted(): { signal: AbortSignal } {
  return { signal: AbortSignal.abort() };
}
