import { PGlite } from "@electric-sql/pglite";
import { createPostgresSession } from "@ccl/sql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionStoreConformance } from "../conformance/index.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { openPostgresSessionStore } from "./index.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: the PostgreSQL store is tried on PGlite only.");

// PGlite takes ten times as long, so that beside a server it stands for itself only in the longer runs.
const isAtLength = isAtLeast("faults");
const kinds =
  url === undefined ? ["PGlite"] : isAtLength ? ["PGlite", "PostgreSQL"] : ["PostgreSQL"];

describe.each(kinds)("openPostgresSessionStore on %s", (kind) => {
  let client: PGlite | pg.Pool;

  beforeAll(async () => {
    if (kind === "PGlite") {
      client = await PGlite.create();
      return;
    }
    // A schema of its own, so that other tests on the server don't meet these tables.
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query("DROP SCHEMA IF EXISTS session_tests CASCADE; CREATE SCHEMA session_tests");
    await admin.end();
    client = new pg.Pool({ connectionString: url, options: "-c search_path=session_tests" });
  });
  afterAll(async () => {
    await ("end" in client ? client.end() : client.close());
  });

  async function open(): Promise<SessionStore> {
    const store = await openPostgresSessionStore({ client });
    await createPostgresSession(client).exec(
      "TRUNCATE ccl_session_logs, ccl_session_events, ccl_session_states",
    );
    return store;
  }

  const rules = sessionStoreConformance({
    open,
    async reopen(store) {
      await store.close();
      return openPostgresSessionStore({ client });
    },
    openSecond: () => openPostgresSessionStore({ client }),
    async damage() {
      const change = `UPDATE ccl_session_events SET event = replace(event, '"tokens":0', '"tokens":9')`;
      await createPostgresSession(client).exec(change);
    },
  });
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());
});
