import { createPostgresSession, migrate, type PostgresClient, textIn } from "@ccl/sql";

import { readDecision } from "../decide/read-decision.ts";
import type { DecisionStore } from "../gateway/decision-store.ts";

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
}: PostgresDecisionStoreOptions): Promise<DecisionStore> {
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
      return rows.flatMap((row) => readDecision(textIn(row, "decision")));
    },
    add: async (session, decisions) => {
      await connection.query(
        `INSERT INTO ccl_gateway_decisions (session, at, decision)
         SELECT $1, one ->> 'at', one FROM json_array_elements($2::json) AS one
         ON CONFLICT DO NOTHING`,
        [session, JSON.stringify(decisions)],
      );
    },
  };
}
