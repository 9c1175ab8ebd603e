import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { afterEach, beforeEach, expect, it } from "vitest";

import { planOf } from "../../test-support/simulated-workspace.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

let root = "";
let workspace: FileWorkspace;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-plan-moves-"));
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src/run.sh"), "#!/bin/sh\necho one\n");
  await chmod(join(root, "src/run.sh"), 0o755);
  workspace = await openWorkspace({ root });
});
afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

const textOf = (path: string): Promise<string> => readFile(join(root, path), "utf8");

it("a moved file keeps its mode, may change on the way, and a rollback moves it back", async () => {
  await workspace.read([{ type: "read_file", path: "src/run.sh" }]);
  const read = workspace.propose(
    "Moves the script.\n*** Begin Patch\n*** Update File: src/run.sh\n*** Move to: bin/run.sh\n@@\n-echo one\n+echo two\n*** End Patch\n",
  );
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  expect(read.value.plan).toMatchObject({
    summary: "Moves the script.",
    actions: [{ kind: "MOVE_FILE", path: "src/run.sh", to: "bin/run.sh" }],
  });
  const preview = await workspace.preview(read.value.plan);
  expect(preview).toMatchObject({
    value: { needsConfirmation: false, changes: [{ kind: "MOVE_FILE", target: "bin/run.sh" }] },
  });
  const applied = await workspace.apply(read.value.plan);
  expect(await textOf("bin/run.sh")).toBe("#!/bin/sh\necho two\n");
  expect((await stat(join(root, "bin/run.sh"))).mode & 0o777).toBe(0o755);
  await expect(stat(join(root, "src/run.sh"))).rejects.toMatchObject({ code: "ENOENT" });
  await workspace.rollback(applied.ok ? applied.value.transactionId : "");
  expect(await textOf("src/run.sh")).toBe("#!/bin/sh\necho one\n");
  await expect(stat(join(root, "bin"))).rejects.toMatchObject({ code: "ENOENT" });
});

it("bytes that are no text move as they are, but not over another file", async () => {
  await writeFile(join(root, "src/logo.png"), new Uint8Array([0, 255, 1]));
  const plan = planOf({ kind: "MOVE_FILE", path: "src/logo.png", to: "logo.png" });
  expect(await workspace.apply(plan)).toMatchObject({ ok: true });
  expect([...(await readFile(join(root, "logo.png")))]).toEqual([0, 255, 1]);
  const over = planOf({ kind: "MOVE_FILE", path: "logo.png", to: "src/run.sh" });
  expect(await workspace.apply(over)).toMatchObject({ issues: [{ code: "ERR_TARGET_EXISTS" }] });
});

it("a file that is given whole keeps its CR LF and its byte order mark", async () => {
  await writeFile(join(root, "src/a.txt"), "\ufeffone\r\ntwo\r\n");
  await workspace.read([{ type: "read_file", path: "src/a.txt" }]);
  const answer = {
    version: 1,
    actions: [{ kind: "UPDATE_FILE", path: "src/a.txt", content: "one\nthree\n" }],
  };
  const edits = workspace.propose(JSON.stringify(answer));
  expect(edits.ok && (await workspace.apply(edits.value.plan))).toMatchObject({ ok: true });
  expect(await textOf("src/a.txt")).toBe("\ufeffone\r\nthree\r\n");
});

it.each(["SRC/new.txt", "src/RUN.sh", "Src/deep/new.txt"])(
  "%s is refused beside what other systems take for the same place",
  async (path) => {
    const plan = planOf({ kind: "CREATE_FILE", path, content: "x" });
    expect(await workspace.apply(plan)).toMatchObject({
      issues: [{ code: "ERR_ACTION_CONFLICT" }],
    });
  },
);

const PLAN = planOf({
  kind: "EDIT_FILE",
  path: "src/run.sh",
  base_sha256: sha256Hex("#!/bin/sh\necho one\n"),
  content: "#!/bin/sh\necho two\n",
});
const shell = (script: string): { name: string; command: [string, ...string[]] } => ({
  name: "check",
  command: ["sh", "-c", script],
});

it("says which files a check wrote again, and names the check that changes the files before the plan does", async () => {
  const formats = shell("grep -q two src/run.sh && echo '# formatted' >> src/run.sh; exit 0");
  expect(await workspace.apply(PLAN, { checks: [formats] })).toMatchObject({
    value: { rewrittenPaths: ["src/run.sh"] },
  });
  await writeFile(join(root, "src/run.sh"), "#!/bin/sh\necho one\n");
  const early = shell("echo '# formatted' >> src/run.sh");
  expect(await workspace.apply(PLAN, { checks: [early] })).toMatchObject({
    issues: [{ code: "CONCURRENT_EDIT", message: expect.stringContaining("by one of them") }],
  });
});

it("runs checks once for the same files, and with mustPass keeps nothing that fails", async () => {
  const counts = shell("echo x >> .runs; exit 1");
  const runs = async (): Promise<number> => (await textOf(".runs")).length / 2;
  await rm(join(root, ".runs"), { force: true });
  const before = await workspace.check([counts]);
  expect(before).toMatchObject([{ status: "failed" }]);
  expect(await workspace.apply(PLAN, { checks: [counts], mustPass: true })).toMatchObject({
    issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }],
  });
  const mayFail = { checks: [counts], before, mayFail: true };
  expect(await workspace.apply(PLAN, mayFail)).toMatchObject({ ok: true });
  expect(await runs()).toBe(3);
  await rm(join(root, ".runs"));
});
