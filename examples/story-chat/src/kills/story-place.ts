import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openPostgresOperationStores } from "@ccl/operations/postgres";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import pg from "pg";

import type { StoryStores } from "../open-story.ts";
import { preamble } from "../story-profile.ts";

/** Where several processes store their runs. JSON, so that it can be sent to another process. */
export type StoryPlace = { sqlite: string } | { postgres: string };

/** One process's view of the stores at a place. */
export interface OpenedPlace {
  stores: StoryStores;
  /** Only for PostgreSQL. */
  pool: pg.Pool | undefined;
  close(): Promise<void>;
}

/** Opens the stores at a place. */
export async function openPlace(place: StoryPlace): Promise<OpenedPlace> {
  if ("sqlite" in place) {
    const stores = await openSqliteOperationStores({ path: place.sqlite, preamble });
    return { stores, pool: undefined, close: () => stores.close() };
  }
  const pool = new pg.Pool({ connectionString: place.postgres, max: 6 });
  // The server closes idle connections when a database is dropped.
  pool.on("error", () => {});
  const stores = await openPostgresOperationStores({ client: pool, preamble });
  const close = async (): Promise<void> => {
    await stores.close();
    await pool.end();
  };
  return { stores, pool, close };
}

/** Calls `use` with a new place and removes it afterwards: a database on that server, or a SQLite file. */
export async function withPlace(
  server: string | undefined,
  use: (place: StoryPlace, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-story-"));
  try {
    if (server === undefined) await use({ sqlite: join(folder, "story.db") }, folder);
    else await withDatabase(server, (postgres) => use({ postgres }, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withDatabase(
  server: string,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const name = `ccl_story_${randomUUID().replaceAll("-", "")}`;
  const address = new URL(server);
  address.pathname = `/${name}`;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  try {
    await use(address.href);
  } finally {
    await run(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}
