import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createSequentialIds } from "@ccl/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  askForPort,
  goodChange,
  goodPlan,
  openStage,
  proposedOf,
} from "../../session/__fixtures__/open-stage.ts";
import { createTraceFiles } from "./create-trace-files.ts";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-traces-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("trace files", () => {
  it("hold a proposal, and later its commit, under the name of its id", async () => {
    const { session } = openStage([askForPort, goodChange], { trace: createTraceFiles({ root }) });
    const proposal = await session.apply("Use port 8080.");
    const file = join(root, ".ccl", "traces", `${proposal.trace.trace_id}.json`);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(proposal.trace);
    await session.commit(proposedOf(proposal));
    const { events } = JSON.parse(await readFile(file, "utf8"));
    expect(events.at(-1)).toMatchObject({ type: "APPLY_SUCCESS" });
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(join(root, ".ccl", "traces", ".gitignore"), "utf8")).toBe("*\n");
  });

  it("are the latest 200", async () => {
    const folder = join(root, ".ccl", "traces");
    await mkdir(folder, { recursive: true });
    const old = Array.from({ length: 201 }, (_, index) => `trace-0${1000 + index}.json`);
    for (const name of old) await writeFile(join(folder, name), "{}");
    const { session } = openStage([goodPlan], { trace: createTraceFiles({ root }) });
    await session.plan("Fix one.");
    expect((await readdir(folder)).sort()).toEqual([".gitignore", ...old.slice(2), "trace-1.json"]);
  });

  it.each([
    ["an id that leads elsewhere", "../outside"],
    ["a link that leads elsewhere", "id"],
  ])("refuse %s, and the proposal holds all the same", async (_name, prefix) => {
    await mkdir(join(root, "project"));
    if (prefix === "id") await symlink(tmpdir(), join(root, "project", ".ccl"));
    const trace = createTraceFiles({ root: join(root, "project") });
    const { session } = openStage([goodPlan], { trace, ids: createSequentialIds(prefix) });
    expect(await session.plan("Fix it.")).toMatchObject({
      ok: true,
      traceProblem: expect.stringMatching(/cannot be/),
    });
    expect(await readdir(root)).toEqual(["project"]);
  });
});
