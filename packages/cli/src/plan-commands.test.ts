import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type CclRun, runCcl, type RunCclOptions } from "./__fixtures__/run-ccl.ts";

const portFile = 'export const host = "::1";\nexport const port = 80;\n';
const changedFile = portFile.replace("80", "8080");
const patch = {
  kind: "PATCH_FILE",
  path: "src/port.mjs",
  patch:
    '@@ -1,2 +1,2 @@\n export const host = "::1";\n-export const port = 80;\n+export const port = 8080;\n',
  base_sha256: sha256Hex(portFile),
};
const goodPlan = JSON.stringify({ actions: [patch], summary: "Port 8080." });
const deletion = JSON.stringify({
  actions: [{ kind: "DELETE_FILE", path: "old.md" }],
  summary: "Gone.",
});
const passes = `"${process.execPath}" --check src/port.mjs`;
/** Passes on port 80 only. */
const isPort80 = `"${process.execPath}" --input-type=module -e 'import("./src/port.mjs").then(({ port }) => process.exit(port === 80 ? 0 : 1))'`;

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-plan-"));
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src", "port.mjs"), portFile);
  await writeFile(join(root, "old.md"), "# Old\n");
});
afterEach(async () => {
  await rm(root, { recursive: true, maxRetries: 3 });
});

const ccl = (args: string[], options: Partial<RunCclOptions> = {}): Promise<CclRun> =>
  runCcl(args, { cwd: root, ...options });

async function json(
  args: string[],
  options: Partial<RunCclOptions> = {},
): Promise<{ code: number; document: unknown }> {
  const { code, stdout, stderr } = await ccl([...args, "--json"], options);
  expect(stderr).toBe("");
  return { code, document: JSON.parse(stdout) };
}

const portNow = (): Promise<string> => readFile(join(root, "src", "port.mjs"), "utf8");

describe("ccl plan validate", () => {
  it("takes an answer as a model wrote it, from stdin or a file", async () => {
    const answer = `Here it is:\n\`\`\`json\n${goodPlan}\n\`\`\``;
    expect(await ccl(["plan", "validate"], { stdin: answer })).toEqual({
      code: 0,
      stdout: "PATCH_FILE\tsrc/port.mjs\nPort 8080.\n",
      stderr: "ok: version 2, 1 action\n",
    });
    await writeFile(join(root, "plan.json"), goodPlan);
    expect(await json(["plan", "validate", "plan.json"])).toMatchObject({
      code: 0,
      document: { isValid: true, plan: { version: 2, actions: [{ path: "src/port.mjs" }] } },
    });
    const steps = JSON.stringify({ actions: [], summary: "1) Look. é" });
    expect(await ccl(["plan", "validate", "-", "--mode", "plan"], { stdin: steps })).toMatchObject({
      code: 0,
      stdout: "1) Look. é\n",
    });
  });

  it.each([
    {
      name: "no plan at all",
      stdin: "Sorry.",
      code: 3,
      error: "plan_refused",
      issue: "ERR_JSON_EXTRACT",
    },
    {
      name: "a protected path",
      stdin: deletion.replace("old.md", ".env"),
      code: 3,
      error: "plan_refused",
      issue: "PROTECTED_PATH",
    },
    {
      name: "a patch that does not fit",
      stdin: goodPlan.replace("= 80", "= 81"),
      code: 3,
      error: "plan_refused",
      issue: "ERR_PATCH_APPLY_FAILED",
    },
    {
      name: "a file that is another one",
      stdin: goodPlan.replace(sha256Hex(portFile), "0".repeat(64)),
      code: 5,
      error: "plan_conflict",
      issue: "ERR_BASE_MISMATCH",
    },
    {
      name: "a file that is not there",
      stdin: goodPlan.replace("src/port.mjs", "src/none.mjs"),
      code: 3,
      error: "plan_refused",
      issue: "PATH_NOT_FOUND",
    },
  ])(
    "refuses $name with exit code $code and every issue",
    async ({ stdin, code, error, issue }) => {
      const answer = await json(["plan", "validate"], { stdin });
      expect(answer).toMatchObject({
        code,
        document: { error: { code: error, issues: [{ code: issue }] } },
      });
      expect((await ccl(["plan", "validate"], { stdin })).stderr).toContain(`ccl: ${issue}`);
    },
  );

  it.each([
    [["plan", "validate", "none.json"], "none.json"],
    [["plan", "validate"], "Name a file"],
    [["plan", "validate", "--schema-version", "4"], "Expected 1, 2 or 3."],
  ])("answers %j as wrong usage", async (args, message) => {
    const answer = await json(args);
    expect(answer).toMatchObject({
      code: 2,
      document: { error: { code: "usage", message: expect.stringContaining(message) } },
    });
  });
});

describe("ccl plan preview", () => {
  it("lists what was forgiven and what is no edit, and so does ccl plan apply", async () => {
    const answer = [
      "src/port.mjs",
      "<<<<<<< SEARCH",
      "export const port = 80;  ",
      "=======",
      "export const port = 8080;",
      ">>>>>>> REPLACE",
      "```sh",
      "npm start",
      "```",
    ].join("\n");
    const remark = 'The command "npm start" was not run.\n';
    const preview = await ccl(["plan", "preview", "-"], { stdin: answer });
    expect(preview.stdout).toContain(remark);
    expect(preview.stdout).toContain("blanks");
    const applied = await ccl(["plan", "apply", "-"], { stdin: answer });
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stderr).toContain(remark);
  });

  it("shows diffs and a table, in colours on a terminal only, and writes nothing", async () => {
    const before = await readdir(root, { recursive: true });
    const plain = await ccl(["plan", "preview", "-"], { stdin: goodPlan });
    expect(plain.stdout).toMatchInlineSnapshot(`
      "--- a/src/port.mjs
      +++ b/src/port.mjs
      @@ -1,2 +1,2 @@
       export const host = "::1";
      -export const port = 80;
      +export const port = 8080;
      PATCH_FILE	src/port.mjs	1	1	
      Port 8080.
      "
    `);
    expect(plain.stderr).toMatch(/^plan [0-9a-f]{64}\n$/);
    const coloured = await ccl(["plan", "preview", "-"], { stdin: goodPlan, isTerminal: true });
    expect(coloured.stdout).toContain("\u001B[32m+export const port = 8080;\u001B[39m\n");
    expect(await readdir(root, { recursive: true })).toEqual(before);
    expect(await portNow()).toBe(portFile);
  });

  it("shows control characters of a plan instead of sending them", async () => {
    const stdin = JSON.stringify({
      actions: [{ kind: "CREATE_FILE", path: "a.md", content: "\u202Egnp.exe\tx\n" }],
      summary: "\u001B]0;owned\u0007 Done.",
    });
    const { stdout } = await ccl(["plan", "preview", "-"], {
      stdin,
      isTerminal: true,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).not.toMatch(/[\u001B\u0007\u202E]/);
    expect(stdout).toContain("+\\u{202e}gnp.exe\tx\n");
  });
});

describe("ccl plan apply", () => {
  it("applies with checks, logs the transaction, and rolls it back", async () => {
    const applied = await json(["plan", "apply", "--check", passes], { stdin: goodPlan });
    expect(applied).toMatchObject({
      code: 0,
      document: { checks: [{ status: "passed" }], changes: [{ path: "src/port.mjs" }] },
    });
    expect(await portNow()).toBe(changedFile);
    const id = String(Object(applied.document).transactionId);
    expect((await ccl(["plan", "log"])).stdout).toMatch(
      new RegExp(`^${id}\t[^\t]+Z\tcommitted\tsrc/port\\.mjs\n$`),
    );
    expect(await json(["plan", "rollback", "last"])).toMatchObject({
      code: 0,
      document: { transactionId: id, paths: ["src/port.mjs"] },
    });
    expect(await portNow()).toBe(portFile);
    expect(await json(["plan", "log"])).toMatchObject({
      document: { transactions: [{ transactionId: id, status: "rolled_back" }] },
    });
    expect(await json(["plan", "rollback", "last"])).toMatchObject({ code: 2 });
    for (const unknown of ["0190a8d5-0000-7000-8000-000000000000", "../x"]) {
      const { code, stderr } = await ccl(["plan", "rollback", unknown]);
      expect([code, stderr]).toEqual([
        2,
        `ccl: There is no journal for transaction "${unknown}". "ccl plan log" lists the transactions.\n`,
      ]);
    }
    expect(await json(["plan", "recover"])).toEqual({ code: 0, document: { recovered: [] } });
  });

  it("lists and recovers nothing, and makes no folder for it, where no plan was applied", async () => {
    const before = await readdir(root, { recursive: true });
    expect(await ccl(["plan", "log"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "No plan was applied here.\n",
    });
    expect(await ccl(["plan", "recover"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "Nothing was left unfinished.\n",
    });
    expect(await ccl(["plan", "prune", "--keep", "0"])).toMatchObject({
      code: 0,
      stderr: "Nothing was removed.\n",
    });
    expect(await readdir(root, { recursive: true })).toEqual(before);
  });

  it("removes all transactions but the latest, which can be rolled back", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) {
      const plan = {
        actions: [{ kind: "CREATE_FILE", path: `${name}.md`, content: `${name}\n` }],
        summary: "More.",
      };
      const { document } = await json(["plan", "apply"], { stdin: JSON.stringify(plan) });
      ids.push(String(Object(document).transactionId));
    }
    expect(await ccl(["plan", "prune", "--keep", "2"])).toEqual({
      code: 0,
      stdout: `${ids[0]}\tremoved\n`,
      stderr: "Removed 1 transaction.\n",
    });
    expect(await json(["plan", "prune", "--keep", "1"])).toEqual({
      code: 0,
      document: { removed: [ids[1]], needed: [] },
    });
    expect((await ccl(["plan", "prune", "--keep", "1"])).stderr).toBe("Nothing was removed.\n");
    expect(await json(["plan", "log"])).toMatchObject({
      document: { transactions: [{ transactionId: ids[2] }] },
    });
    expect(await json(["plan", "rollback", String(ids[1])])).not.toMatchObject({ code: 0 });
    expect(await json(["plan", "rollback", "last"])).toMatchObject({
      code: 0,
      document: { paths: ["c.md"] },
    });
    expect((await readdir(root)).sort()).toEqual([".ccl", "a.md", "b.md", "old.md", "src"]);
  });

  it("keeps transactions that still hold files of somebody's", async () => {
    const { document } = await json(["plan", "apply"], { stdin: goodPlan });
    const id = String(Object(document).transactionId);
    await rm(join(root, ".ccl", "transactions", id, "committed"));
    const pruned = await ccl(["plan", "prune", "--keep", "0"]);
    expect(pruned).toMatchObject({ code: 0, stdout: `${id}\tneeded\n` });
    expect(pruned.stderr).toContain("Nothing was removed. Kept 1 transaction that");
  });

  it.each([[[]], [["--keep", "-1"]], [["--keep", "some"]], [["--keep", "1.5"]]])(
    "prunes nothing with the flags %j",
    async (flags) => {
      await json(["plan", "apply"], { stdin: goodPlan });
      expect(await json(["plan", "prune", ...flags])).toMatchObject({ code: 2 });
      expect(await json(["plan", "rollback", "last"])).toMatchObject({ code: 0 });
    },
  );

  it("changes nothing where a check fails that passed before", async () => {
    const answer = await json(["plan", "apply", "--check", passes, "--check", isPort80], {
      stdin: goodPlan,
    });
    expect(answer).toMatchObject({
      code: 3,
      document: {
        error: { code: "checks_failed", issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }] },
      },
    });
    expect(await portNow()).toBe(portFile);
  });

  it("deletes only what was agreed to", async () => {
    const refused = await json(["plan", "apply"], { stdin: deletion });
    expect(refused).toMatchObject({
      code: 6,
      document: { error: { code: "confirmation_required" } },
    });
    expect(
      await json(["plan", "apply", "--confirm", "0".repeat(64)], { stdin: deletion }),
    ).toMatchObject({ code: 6 });
    const preview = await json(["plan", "preview"], { stdin: deletion });
    expect(preview.document).toMatchObject({ needsConfirmation: true });
    const confirm = String(Object(preview.document).planHash);
    expect(await json(["plan", "apply", "--confirm", confirm], { stdin: deletion })).toMatchObject({
      code: 0,
    });
    expect(await readdir(root)).not.toContain("old.md");
  });

  it("agrees by itself with --yes, and says how to go back", async () => {
    const { code, stdout } = await ccl(["plan", "apply", "--yes"], { stdin: deletion });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^applied 1 change\. "ccl plan rollback [0-9a-f-]{36}" rolls it back\.\n$/,
    );
  });

  it.each([
    ["a check without a command", ["--check", " "], 2],
    ["a check whose quote does not end", ["--check", "npm 'test"], 2],
    ["a check that cannot be started", ["--check", "no-such-program-here"], 2],
  ])("refuses %s", async (_name, args, code) => {
    expect(await json(["plan", "apply", ...args], { stdin: goodPlan })).toMatchObject({ code });
    expect(await portNow()).toBe(portFile);
  });
});
