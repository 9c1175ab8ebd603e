import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import {
  bareFiles,
  barePostgres,
  bareS3,
  bareSqlite,
  emptyPrefix,
  writeAndSync,
} from "./artifact-floors.mjs";
import { cacacheFolder, unstorageFolder } from "./artifact-peers.mjs";

const packages = new URL("../../packages/", import.meta.url);
const load = (name, entry = "index") => import(new URL(`${name}/dist/${entry}.js`, packages).href);
const requireOf = (name) => createRequire(new URL(`${name}/package.json`, packages));

// The clients for the stores, from the packages that are tested with them.
const loadPostgres = () => requireOf("artifact-store-postgres")("pg");
const loadS3 = () => requireOf("artifact-store-s3")("@aws-sdk/client-s3");

/**
 * The subjects of the benchmark. Each opens in its own folder as `{ put({ bytes, id }), get(id), close(), erase? }`.
 * `floor` names the row that does the same with only the driver. Rows of a `group` are called in turns. `openStore`
 * returns our own stores unchanged. Rows of a missing server are omitted.
 */
export function artifactSubjects({ postgresUrl, s3 } = {}) {
  return [
    ours({ name: "memory", floor: undefined, openStore: openMemory, lost: "all" }),
    ours({ name: "fs", floor: "the same system calls by hand", openStore: openFs("full") }),
    {
      name: "the same system calls by hand",
      group: "fs",
      open: bareFiles,
      isVerified: false,
      isSynced: true,
      lost: "none",
    },
    {
      name: "open, write, fsync, close by hand",
      group: "fs",
      open: writeAndSync,
      isVerified: false,
      isSynced: true,
      lost: "none",
    },
    ours({ name: "SQLite", floor: "one INSERT, synchronous=FULL", openStore: openSqlite("full") }),
    {
      name: "one INSERT, synchronous=FULL",
      group: "SQLite",
      open: bareSqlite,
      isVerified: false,
      isSynced: true,
      lost: "none",
    },
    ...(postgresUrl === undefined ? [] : postgresRows(postgresUrl)),
    ...(s3 === undefined ? [] : s3Rows(s3)),
    ours({ name: "fs, durability off", openStore: openFs("off"), isSynced: false, lost: "latest" }),
    ours({
      name: "SQLite, durability normal",
      openStore: openSqlite("normal"),
      isSynced: false,
      lost: "latest",
    }),
    { name: "cacache", open: cacacheFolder, isVerified: true, isSynced: false, lost: "latest" },
    {
      name: "unstorage, fs driver",
      open: unstorageFolder,
      isVerified: false,
      isSynced: false,
      lost: "latest",
    },
  ];
}

function postgresRows(url) {
  const lost = "none: the server syncs its log";
  const floor = "one INSERT over pg";
  return [
    ours({ name: "PostgreSQL", floor, openStore: openPostgres(url), lost, isServer: true }),
    {
      name: floor,
      group: "PostgreSQL",
      open: barePostgres(url, loadPostgres()),
      isServer: true,
      isVerified: false,
      isSynced: true,
      lost,
    },
  ];
}

function s3Rows(s3) {
  const lost = "the server's matter";
  const floor = "one PutObject";
  return [
    ours({ name: "S3 on loopback", floor, openStore: openS3(s3), lost, isServer: true }),
    {
      name: floor,
      group: "S3 on loopback",
      open: bareS3(s3, loadS3()),
      isServer: true,
      isVerified: false,
      isSynced: true,
      lost,
    },
  ];
}

function ours({ name, floor, openStore, isServer = false, isSynced = true, lost = "none" }) {
  const open = async (folder) => {
    const { store, erase } = await openStore(folder);
    return {
      store,
      put: ({ bytes }) => store.store(bytes, { source: "tool:bench" }),
      get: (id) => store.retrieve(id),
      close: () => store.close(),
      ...(erase === undefined ? {} : { erase }),
    };
  };
  return { name, floor, open, openStore, isServer, isVerified: true, isSynced, lost };
}

async function openMemory() {
  const { createMemoryArtifactStore } = await load("artifact-store");
  return { store: createMemoryArtifactStore() };
}

const openFs =
  (durability) =>
  async (folder, options = {}) => {
    const { openFsArtifactStore } = await load("artifact-store-fs");
    return {
      store: await openFsArtifactStore({
        folder: path.join(folder, "store"),
        durability,
        ...options,
      }),
    };
  };

const openSqlite =
  (durability) =>
  async (folder, options = {}) => {
    const { openSqliteArtifactStore } = await load("artifact-store-sqlite");
    fs.mkdirSync(folder, { recursive: true });
    return {
      store: await openSqliteArtifactStore({
        path: path.join(folder, "store.db"),
        durability,
        ...options,
      }),
    };
  };

const openPostgres = (url) => async (folder) => {
  const { openPostgresArtifactStore } = await load("artifact-store-postgres");
  const { Pool } = loadPostgres();
  const schema = `bench_${path.basename(folder).replace(/\W/g, "_")}`.toLowerCase();
  const client = new Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 8 });
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  const store = await openPostgresArtifactStore({ client });
  const erase = async () => {
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.end();
  };
  return { store, erase };
};

const openS3 = (config) => async (folder) => {
  const { openS3ArtifactStore } = await load("artifact-store-s3");
  const sdk = loadS3();
  const client = new sdk.S3Client(config);
  const prefix = `${path.basename(folder)}/`;
  const { openRecords } = await load("records", "node/index");
  fs.mkdirSync(folder, { recursive: true });
  const records = await openRecords({ sqlite: { path: path.join(folder, "records.sqlite") } });
  const store = await openS3ArtifactStore({ client, bucket: "artifacts", records, prefix });
  const erase = async () => {
    await emptyPrefix(client, prefix, sdk);
    await records.close();
    client.destroy();
  };
  return { store, erase };
};

/** The SQLite driver in use here. */
export async function sqliteDriverName() {
  const database = await (await load("sql", "node/index")).openSqlite({ path: ":memory:" });
  database.close();
  return database.driver;
}
