import { createPostgresSession, migrate, numberIn, type PostgresClient, textIn } from "@ccl/sql";

import { readDecisions } from "../decide/read-decisions.ts";
import type { PrunableDecisionStore } from "../gateway/decision-store.ts";

/** Where the table is. */
export interface PostgresDecisionStoreOptions {
  /** A pool or client of pg, or a PGlite; stays open. */
  client: PostgresClient;
  signal?: AbortSignal | undefined;
}

/** Decisions in PostgreSQL, for several gateways behind a balancer: of two that decide the same call the first one holds. */
export async function openPostgresDecisionStore({
  client,
  signal,
}: PostgresDecisionStoreOptions): Promise<PrunableDecisionStore> {
  await migrate(client, {
    component: "gateway",
    signal,
    migrations: [
      {
        version: 1,
        up: `CREATE TABLE ccl_gateway_decisions (
          session text COLLATE "C" NOT NULL,
          at text COLLATE "C" NOT NULL,
          decision json NOT NULL,
          kept_at timestamptz NOT NULL DEFAULT now(),
          PRIMARY KEY (session, at)
        )`,
      },
    ],
  });
  const connection = createPostgresSession(client);
  return {
    read: async (session) => {
      const rows = await connection.query(
        "SELECT decision::text AS decision FROM ccl_gateway_decisions WHERE session = $1",
        [session],
      );
      return rows.flatMap((row) => readDecisions(textIn(row, "decision")));
    },
    add: async (session, decisions) => {
      await connection.query(
        `INSERT INTO ccl_gateway_decisions (session, at, decision)
         SELECT $1, one ->> 'at', one FROM json_array_elements($2::json) AS one
         ON CONFLICT DO NOTHING`,
        [session, JSON.stringify(decisions)],
      );
    },
    sessions: async () => {
      const rows = await connection.query(
        `SELECT session, (extract(epoch FROM max(kept_at)) * 1000)::float8 AS last
         FROM ccl_gateway_decisions GROUP BY session`,
      );
      return new Map(rows.map((row) => [textIn(row, "session"), numberIn(row, "last")]));
    },
    forget: async (sessions, sinceMs) => {
      await connection.query(
        `DELETE FROM ccl_gateway_decisions WHERE session IN (
           SELECT session FROM ccl_gateway_decisions
           WHERE session IN (SELECT json_array_elements_text($1::json))
           GROUP BY session HAVING max(kept_at) < to_timestamp($2::float8 / 1000)
         )`,
        [JSON.stringify(sessions), sinceMs],
      );
    },
  };
}
