import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { decidedSessions, readDecisions } from "../decide/kept-decisions.ts";
import { openGatewayRecords } from "./open-gateway-records.ts";
import { createRequestLogReader } from "./request-log.ts";

// As the stores that this package had before wrote them.
const decisions = `
{"at":"a","credit":1.5,"edits":[[2,{"text":"short \\ud83d","form":"cut"}]]}

{"at":"b","credit":0,"edits":[]}

{"at":"c","cred`;
const requests = `
{"timeMs":1,"durationMs":2,"session":"s","directUsd":3,"usd":2,"kept":0,"unchanged":0,"items":[{"kind":"user","tokens":1}],"shown":[]}
`;

it("moves files of earlier versions, once", async () => {
  const state = await mkdtemp(join(tmpdir(), "ccl-gateway-"));
  onTestFinished(() => rm(state, { recursive: true }));
  for (const [folder, text] of Object.entries({ decisions, requests })) {
    await mkdir(join(state, folder));
    await writeFile(join(state, folder, "s.jsonl"), text);
  }
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
    const read = await createRequestLogReader(records)();
    expect(read.get("s")).toMatchObject([{ timeMs: 1, items: [{ kind: "user" }] }]);
    await records.close();
  }
  expect(await readdir(join(state, "decisions"))).toEqual([]);
});
