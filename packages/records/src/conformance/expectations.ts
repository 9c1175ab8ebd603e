import assert from "node:assert/strict";

import { rejectsWith } from "@ccl/core/conformance";

import type { ListOptions, Records } from "../records/records.ts";
import { RecordsError, type RecordsErrorCode } from "../records-error.ts";

/** Asserts that the call rejects with that code. */
export async function refused(code: RecordsErrorCode, call: () => Promise<unknown>): Promise<void> {
  await rejectsWith(RecordsError, code, call);
}

/** Returns `count` numbers from 0. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Returns the names of all records or logs, read page by page. */
export async function allNames(
  records: Records,
  kind: "records" | "logs",
  options: ListOptions = {},
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page =
      kind === "records"
        ? await records.list({ ...options, cursor })
        : await records.listLogs({ ...options, cursor });
    const found = "records" in page ? page.records : page.logs;
    assert.ok(found.length > 0 || page.cursor === undefined, "an empty page has a cursor");
    names.push(...found.map(({ name }) => name));
    assert.ok(names.length <= 10_000, "the pages do not end");
    ({ cursor } = page);
  } while (cursor !== undefined);
  return names;
}

/** Returns all entries of a log, read page by page. */
export async function allEntries(
  records: Records,
  log: string,
  limit?: number,
): Promise<unknown[]> {
  const entries: unknown[] = [];
  for (;;) {
    const page = await records.readLog(log, { from: entries.length, limit });
    entries.push(...page.entries);
    if (entries.length >= page.version) return entries;
    assert.ok(page.entries.length > 0, "a page before the end is empty");
  }
}

/** Names that a careless store confuses with each other, or treats as a path or a pattern. */
export const oddNames: readonly string[] = [
  "s",
  "S",
  "s ",
  " s",
  "s/1",
  "../s",
  "s%",
  "s_",
  "s'",
  "~s",
  "!s",
  "nul",
  "s\u0000",
  "s\n",
  "\ud83d",
  "сессия 🙂",
  "\uffff",
  "x".repeat(300),
  "x".repeat(299),
];
