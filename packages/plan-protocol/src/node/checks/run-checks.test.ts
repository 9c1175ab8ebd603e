import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { planOf } from "../../../test-support/simulated-workspace.ts";
import type { FileWorkspace } from "../../workspace/file-workspace.ts";
import type { PlanCheck } from "../../workspace/plan-workspace.ts";
import { openWorkspace } from "../open-workspace.ts";

let root = "";
let workspace: FileWorkspace;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-checks-"));
  workspace = await openWorkspace({ root, durability: "off" });
});
afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

const PLAN = planOf({ kind: "CREATE_FILE", path: "new.txt", content: "new\n" });
const shell = (name: string, script: string, rest: Partial<PlanCheck> = {}): PlanCheck => ({
  name,
  command: ["sh", "-c", script],
  ...rest,
});
const isRunning = (id: number): boolean => {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
};
/** A zombie whose parent has not looked yet has ended, too. */
async function hasEnded(id: number): Promise<boolean> {
  const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  return !isRunning(id) || stat === "" || / Z /.test(stat);
}

describe("checks", () => {
  it.each<[string, string, string]>([
    ["TAP", "not ok 1 - old (3 ms)\\n", "not ok 1 - old (9 ms)\\nnot ok 2 - fresh\\n"],
    ["pytest", "FAILED a.py::old - x\\n", "FAILED a.py::old - y\\nFAILED a.py::fresh - x\\n"],
    [
      "go test",
      "--- FAIL: old (0.01s)\\n",
      "--- FAIL: old (0.02s)\\n    --- FAIL: fresh (0.00s)\\n",
    ],
    ["node:test", "✖ old (1.2ms)\\n", "✖ old (9.1ms)\\n✖ failing tests:\\n  ✖ fresh (0.4ms)\\n"],
    ["cargo test", "test old ... FAILED\\n", "test old ... FAILED\\ntest fresh ... FAILED\\n"],
    [
      "vitest",
      " FAIL  a.test.ts > old\\n",
      " FAIL  a.test.ts > old\\n \\0033[31mFAIL\\0033[0m  a.test.ts > fresh\\n",
    ],
  ])(
    "that failed before do not hide a test that fails only since the change: %s",
    async (_name, before, after) => {
      const script = (then: string): string =>
        `if [ -f new.txt ]; then printf '%b' '${then}'; else printf '%b' '${before}'; fi; exit 1`;
      expect(
        await workspace.apply(PLAN, { checks: [shell("same", script(before))] }),
      ).toMatchObject({
        ok: true,
        value: { checks: [{ status: "failed_before" }] },
      });
      await rm(join(root, "new.txt"));
      const applied = await workspace.apply(PLAN, { checks: [shell("new", script(after))] });
      expect(applied).toMatchObject({
        ok: false,
        issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }],
      });
      expect(applied.ok ? "" : applied.issues[0]?.message).toContain("fresh");
      await expect(readFile(join(root, "new.txt"))).rejects.toThrow("ENOENT");
    },
  );

  it.each([
    ["names no tests before", "echo broken", "echo 'not ok 1 - fresh'"],
    [
      "names fewer tests after",
      "echo 'not ok 1 - old'; echo 'not ok 2 - repaired'",
      "echo 'not ok 1 - old'",
    ],
    [
      "marks the new one as to be done",
      "echo 'not ok 1 - old'",
      "echo 'not ok 1 - old'; echo 'not ok 2 - fresh # TODO'",
    ],
    [
      "prints too much to compare",
      "echo 'not ok 1 - old'",
      "echo 'not ok 2 - fresh'; yes x | head -c 3000000",
    ],
  ])("that failed before may fail still where the output %s", async (_name, before, after) => {
    const check = shell("old", `if [ -f new.txt ]; then ${after}; else ${before}; fi; exit 1`);
    expect(await workspace.apply(PLAN, { checks: [check], mayFail: true })).toMatchObject({
      ok: true,
      value: { checks: [{ status: "failed_before" }] },
    });
  });

  it.each<[string, PlanCheck]>([
    ["exit code 1 without a word", shell("one", "exit 1")],
    ["a misspelt command of npm", shell("npm", "echo 'npm error Unknown command: \"rn\"'; exit 1")],
    ["a file that is no program", shell("126", "echo 'a.sh:1: denied'; exit 126")],
    ["a program that is not there", shell("127", "echo 'a.sh:1: nope: not found'; exit 127")],
    ["a time-out", shell("slow", "echo 'not ok 1 - x'; sleep 1000", { timeoutMs: 100 })],
  ])("that fail before and after protect nothing: %s", async (_name, check) => {
    expect(await workspace.apply(PLAN, { checks: [check] })).toMatchObject({
      ok: false,
      issues: [
        {
          code: "AUTO_CHECK_FAILED_BEFORE",
          path: ["checks", check.name],
          message: expect.stringMatching(/Nothing was changed.*mustPass.*mayFail/s),
        },
      ],
    });
    expect(await workspace.transactions()).toEqual([]);
    const before = await workspace.check([check]);
    expect(await workspace.apply(PLAN, { checks: [check], before })).toMatchObject({ ok: false });
    expect(await workspace.apply(PLAN, { checks: [check], mustPass: true })).toMatchObject({
      ok: false,
      issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }],
    });
    expect(await workspace.apply(PLAN, { checks: [check], mayFail: true })).toMatchObject({
      ok: true,
      value: { checks: [{ status: "failed_before" }] },
    });
  });

  it.each([
    ["does not say what is wrong any more", "echo crashed; exit 2"],
    ["is not found any more", "exit 127"],
    ["does not end any more", "echo 'not ok 1 - old'; sleep 1000"],
  ])("whose failure could be compared before roll back where it %s", async (_name, after) => {
    const script = `if [ -f new.txt ]; then ${after}; else echo 'not ok 1 - old'; fi; exit 1`;
    const checks = [shell("tests", script, { timeoutMs: 300 })];
    expect(await workspace.apply(PLAN, { checks })).toMatchObject({
      ok: false,
      issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }],
    });
    await expect(readFile(join(root, "new.txt"))).rejects.toThrow("ENOENT");
  });

  it("that pass, or failed before as well, let the plan stand", async () => {
    const applied = await workspace.apply(PLAN, {
      checks: [shell("good", "echo fine"), shell("old", "exit 3")],
      mayFail: true,
    });
    expect(applied).toMatchObject({
      ok: true,
      value: {
        checks: [
          { name: "good", status: "passed", output: "fine\n", exitCode: 0 },
          { name: "old", status: "failed_before", exitCode: 3 },
        ],
      },
    });
  });

  it("that fail now take the plan back and say what they printed, masked", async () => {
    const script =
      "test ! -e new.txt || { echo API_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789; exit 1; }";
    const applied = await workspace.apply(PLAN, { checks: [shell("bad", script)] });
    expect(applied).toMatchObject({
      ok: false,
      issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK", path: ["checks", "bad"] }],
    });
    expect(JSON.stringify(applied)).toContain("[redacted:");
    expect(JSON.stringify(applied)).not.toContain("abcdefghijklmnop");
    await expect(readFile(join(root, "new.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("that print without end are bounded", async () => {
    const applied = await workspace.apply(PLAN, {
      checks: [shell("loud", "echo first; seq 1 2000000; echo last")],
    });
    const output = applied.ok ? (applied.value.checks[0]?.output ?? "") : "";
    expect(output.length).toBeLessThanOrEqual(8_000);
    expect(output).toMatch(/^first\n[^]*removed[^]*last\n$/);
  });

  it("that hang are ended with all their processes, also those that ignore it and those that left the group", async () => {
    const stubborn = "trap '' TERM; while :; do sleep 0.05; done";
    const script = `test -e new.txt || exit 0; sh -c "${stubborn}" & echo $! > one.pid; setsid sh -c "echo \\$\\$ > two.pid; ${stubborn}" & ${stubborn}`;
    const applied = await workspace.apply(PLAN, {
      checks: [shell("hangs", script, { timeoutMs: 400 })],
    });
    expect(applied).toMatchObject({
      ok: false,
      issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }],
    });
    for (const name of ["one.pid", "two.pid"]) {
      const id = Number(await readFile(join(root, name), "utf8"));
      expect(id).toBeGreaterThan(1);
      expect(await hasEnded(id)).toBe(true);
    }
  });

  it("leave nothing running when they end by themselves", async () => {
    const applied = await workspace.apply(PLAN, {
      checks: [shell("leaves", "sleep 1000 & echo $! > left.pid")],
    });
    expect(applied.ok).toBe(true);
    expect(await hasEnded(Number(await readFile(join(root, "left.pid"), "utf8")))).toBe(true);
  });

  it("are ended by a signal, and the plan is rolled back", async () => {
    const controller = new AbortController();
    const script = "test -e new.txt || exit 0; echo $$ > check.pid; sleep 1000";
    const applying = workspace.apply(PLAN, {
      checks: [shell("slow", script)],
      signal: controller.signal,
    });
    const outcome = applying.catch((error: unknown) => error);
    for (let found = ""; found === "";) {
      found = await readFile(join(root, "check.pid"), "utf8").catch(() => "");
      await new Promise((done) => setTimeout(done, 10));
    }
    controller.abort();
    expect(await outcome).toMatchObject({ code: "aborted" });
    expect(await hasEnded(Number(await readFile(join(root, "check.pid"), "utf8")))).toBe(true);
    await expect(readFile(join(root, "new.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(await workspace.recover()).toEqual([]);
  });

  it("that can't be started at all are refused before anything is changed", async () => {
    const missing: PlanCheck = { name: "typo", command: ["no-such-program-anywhere"] };
    await expect(workspace.apply(PLAN, { checks: [missing] })).rejects.toMatchObject({
      code: "invalid_input",
    });
    await writeFile(join(root, "tool.sh"), "#!/bin/sh\n", { mode: 0o755 });
    expect(await workspace.transactions()).toEqual([]);
  });
});
