import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";
import { expect, it } from "vitest";

import { openFileDecisionStore } from "../node/open-file-decision-store.ts";
import { openPostgresDecisionStore } from "../postgres/index.ts";
import type { PrunableDecisionStore } from "./decision-store.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const decision = (at: string) => ({ at, credit: 0, edits: [] });

async function withFiles(work: Parameters<typeof withPostgres>[0]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-decisions-"));
  try {
    const store = await openFileDecisionStore(folder);
    await work(store, (session, at) => utimes(join(folder, `${session}.jsonl`), at, at));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function withPostgres(
  work: (
    store: PrunableDecisionStore,
    setLast: (session: string, at: Date) => Promise<unknown>,
  ) => Promise<void>,
): Promise<void> {
  const client = await PGlite.create();
  try {
    await work(await openPostgresDecisionStore({ client }), (session, at) =>
      client.query("UPDATE ccl_gateway_decisions SET kept_at = $2 WHERE session = $1", [
        session,
        at,
      ]),
    );
  } finally {
    await client.close();
  }
}

// It takes seconds to start.
const isAtLength = isAtLeast("faults");

it.each([
  { name: "files", withStore: withFiles },
  ...(isAtLength ? [{ name: "PostgreSQL", withStore: withPostgres }] : []),
])("forgets sessions in $name, but for those that came back meanwhile", async ({ withStore }) => {
  await withStore(async (store, setLast) => {
    for (const session of ["ended", "back", "live"]) await store.add(session, [decision("1")]);
    const longAgo = new Date("2026-01-01");
    for (const session of ["ended", "back"]) await setLast(session, longAgo);
    const since = Date.parse("2026-02-01");
    const sessions = [...(await store.sessions())];
    const ended = sessions.filter(([, last]) => last < since).map(([session]) => session);
    expect(ended.sort()).toEqual(["back", "ended"]);
    expect(Math.max(...sessions.map(([, last]) => last))).toBeGreaterThan(since);
    await store.add("back", [decision("2")]);
    await store.forget(ended, since);
    expect([...(await store.sessions()).keys()].sort()).toEqual(["back", "live"]);
    expect((await store.read("back")).map(({ at }) => at).sort()).toEqual(["1", "2"]);
    expect(await store.read("ended")).toEqual([]);
  });
});
