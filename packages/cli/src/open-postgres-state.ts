import { openPostgresArtifactStore } from "@ccl/artifact-store-postgres";
import type { DecisionStore } from "@ccl/gateway";
import { openPostgresDecisionStore } from "@ccl/gateway/postgres";

import type { ArtifactFolder } from "./artifact-folder.ts";
import { openPostgresPool } from "./catalog/load-sql.ts";
import type { Session } from "./session.ts";

/** The state of several proxies in one database. */
export interface PostgresState extends Pick<ArtifactFolder, "store" | "close"> {
  decisions: DecisionStore;
}

/** Opens it by the package pg of the project, and makes its tables. */
export async function openPostgresState(session: Session, address: string): Promise<PostgresState> {
  const pool = openPostgresPool(session, address);
  try {
    const decisions = await openPostgresDecisionStore({ client: pool });
    const store = await openPostgresArtifactStore({ client: pool });
    const close = async (): Promise<void> => {
      await store.close();
      await pool.end();
    };
    return { store, decisions, close };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
