import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { decidedSessions, readDecisions } from "../decide/kept-decisions.ts";
import { openGatewayRecords } from "./open-gateway-records.ts";

// In the formats of this package's earlier stores.
const decisions = `
{"at":"a","credit":1.5,"edits":[[2,{"text":"short \\ud83d","form":"cut"}]]}

{"at":"b","credit":0,"edits":[]}

{"at":"c","cred`;

it("migrates the files of earlier versions once", async () => {
  const state = await mkdtemp(join(tmpdir(), "ccl-gateway-"));
  onTestFinished(() => rm(state, { recursive: true }));
  await mkdir(join(state, "decisions"));
  await writeFile(join(state, "decisions", "s.jsonl"), decisions);
  const lastMs = Date.parse("2026-01-01");
  await utimes(join(state, "decisions", "s.jsonl"), lastMs / 1000, lastMs / 1000);
  for (const _ of ["the first time", "and again"]) {
    const records = await openGatewayRecords(state);
    expect(await readDecisions(records, "s")).toEqual([
      {
        at: "a",
        credit: 1.5,
        edits: [[2, { text: "short \ud83d", form: "cut" }]],
        keptAtMs: lastMs,
      },
      { at: "b", credit: 0, edits: [], keptAtMs: lastMs },
    ]);
    expect([...(await decidedSessions(records))]).toEqual([["s", lastMs]]);
    await records.close();
  }
  expect(await readdir(join(state, "decisions"))).toEqual([]);
});

it.skipIf(process.platform === "win32")(
  "lets nobody else read the texts that it keeps",
  async () => {
    const state = await mkdtemp(join(tmpdir(), "ccl-gateway-"));
    onTestFinished(() => rm(state, { recursive: true }));
    const records = await openGatewayRecords(state);
    await records.close();
    const modes = ["gateway", "gateway/records.log"].map(
      async (name) => (await stat(join(state, name))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
  },
);
