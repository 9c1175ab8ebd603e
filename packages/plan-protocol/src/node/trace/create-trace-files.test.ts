import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
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
    const { events, ...trace } = JSON.parse(await readFile(file, "utf8"));
    expect(events.at(-1)).toMatchObject({ type: "APPLY_SUCCESS" });
    expect(trace).not.toHaveProperty("raw_answers");
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(join(root, ".ccl", "traces", ".gitignore"), "utf8")).toBe("*\n");
  });

  it("hold answers only where that was asked for, and no more than the given number stay", async () => {
    const trace = createTraceFiles({
      root,
      directory: "traces",
      includesRawAnswers: true,
      maxTraces: 2,
    });
    const { session } = openStage([goodPlan, goodPlan, goodPlan], { trace });
    for (const goal of ["Fix one.", "Fix two.", "Fix three."]) await session.plan(goal);
    const names = (await readdir(join(root, "traces"))).sort();
    expect(names).toEqual([".gitignore", "trace-2.json", "trace-3.json"]);
    expect(JSON.parse(await readFile(join(root, "traces", "trace-3.json"), "utf8"))).toMatchObject({
      raw_answers: [JSON.stringify(goodPlan)],
    });
  });

  it.each([
    ["an id that leads elsewhere", {}, "../outside"],
    ["a folder that leads elsewhere", { directory: "../traces" }, "id"],
    ["a link that leads elsewhere", { directory: "link/traces" }, "id"],
  ])("refuse %s, and the proposal holds all the same", async (_name, where, prefix) => {
    await mkdir(join(root, "project"));
    await symlink(tmpdir(), join(root, "project", "link"));
    const trace = createTraceFiles({ root: join(root, "project"), ...where });
    const { session } = openStage([goodPlan], { trace, ids: createSequentialIds(prefix) });
    expect(await session.plan("Fix it.")).toMatchObject({
      ok: true,
      traceProblem: expect.stringMatching(/cannot be/),
    });
    expect(await readdir(root)).toEqual(["project"]);
  });
});
