import { sha256Hex } from "@ccl/core";
import { migrate } from "@ccl/sql";
import { PGlite } from "@electric-sql/pglite";
import { expect, it, onTestFinished } from "vitest";

import { openRecords } from "../open-records.ts";

// As earlier versions created and filled them; `res` and `a` stand for their code units in hex.
const key = (text: string): string =>
  [...text].map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0")).join("");
const hashed = (json: string): string => `'${json}', '${sha256Hex(json)}'`;
const catalogTables = `
CREATE TABLE ccl_catalog_state (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), version BIGINT NOT NULL);
INSERT INTO ccl_catalog_state VALUES (1, 3);
CREATE TABLE ccl_catalog_resources (id_key TEXT COLLATE "C" PRIMARY KEY, version BIGINT NOT NULL UNIQUE, record TEXT, sha256 TEXT);
INSERT INTO ccl_catalog_resources VALUES ('${key("res")}', 1, ${hashed('{"id":"res","rev":1}')}), ('${key("gone")}', 3, NULL, NULL);
CREATE TABLE ccl_catalog_history (id_key TEXT COLLATE "C" NOT NULL, position BIGINT NOT NULL, entry TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (id_key, position));
INSERT INTO ccl_catalog_history VALUES ('${key("res")}', 2, ${hashed('{"kind":"changed"}')}), ('${key("res")}', 1, ${hashed('{"kind":"registered"}')});
CREATE TABLE ccl_catalog_vectors (embedder_key TEXT COLLATE "C" NOT NULL, hash_key TEXT COLLATE "C" NOT NULL, vector BYTEA NOT NULL, PRIMARY KEY (embedder_key, hash_key));
INSERT INTO ccl_catalog_vectors VALUES ('${key("m/1")}', '${key("abc")}', '\\x0000803f');`;
const gatewayTables = `
CREATE TABLE ccl_gateway_decisions (session text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL, decision json NOT NULL, kept_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (session, at));
INSERT INTO ccl_gateway_decisions VALUES
  ('s', 'b', '{"at":"b", "credit":2,
   "edits":[]}', '2026-01-02T00:00:00Z'),
  ('s', 'a', '{"at":"a","credit":1,"edits":[]}', '2026-01-01T00:00:00Z'),
  ('t', 'a', '{"at":"a","credit":0,"edits":[]}', '2026-01-03T00:00:00Z');`;

it("moves the tables of earlier versions in PostgreSQL, once", { timeout: 60_000 }, async () => {
  const client = await PGlite.create();
  onTestFinished(() => client.close());
  for (const [component, up] of [
    ["catalog_store", catalogTables],
    ["gateway", gatewayTables],
  ] as const)
    await migrate(client, { component, migrations: [{ version: 1, up }] });
  for (const _ of ["the first time", "and again"]) {
    const records = await openRecords({ postgres: client });
    const vector = `catalog/vector/${sha256Hex("m/1").slice(0, 32)}/abc`;
    expect(await records.list()).toEqual({
      records: [
        { name: "catalog/resource/res", version: 1, value: { id: "res", rev: 1 } },
        { name: vector, version: 1, value: "AACAPw==" },
      ],
    });
    expect(await records.listLogs()).toEqual({
      logs: [
        { name: "catalog/history/res", version: 2 },
        { name: "gateway/decisions/s", version: 2 },
        { name: "gateway/decisions/t", version: 1 },
      ],
    });
    expect((await records.readLog("catalog/history/res")).entries).toEqual([
      { kind: "registered" },
      { kind: "changed" },
    ]);
    expect((await records.readLog("gateway/decisions/s")).entries).toEqual([
      { at: "a", credit: 1, edits: [], keptAtMs: Date.parse("2026-01-01") },
      { at: "b", credit: 2, edits: [], keptAtMs: Date.parse("2026-01-02") },
    ]);
    await records.close();
  }
  const left = await client.query("SELECT component FROM ccl_schema");
  expect(left.rows).toEqual([{ component: "records" }]);
});
