import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { requireBuilt, runChild } from "../../test-support/child-process.ts";
import { readTree } from "../../test-support/read-tree.ts";
import { planOf } from "../../test-support/simulated-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const rounds = byLength({ ci: 8, faults: 60, nightly: 300 });

let place = "";
let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "ccl-plan-several-"));
  root = join(place, "root");
  await mkdir(join(root, "src"), { recursive: true });
});
afterEach(async () => {
  await rm(place, { recursive: true, force: true });
});

const planScript = `
  import { createHash } from "node:crypto";
  const sha = (text) => createHash("sha256").update(text).digest("hex");
  const edit = (path, text, after) => ({ kind: "EDIT_FILE", path, base_sha256: sha(text), content: after });
  const planOf = (...actions) => ({ version: 1, mode: "apply", summary: "", context_requests: [], memory_patch: {}, actions });
`;

/**
 * Adds one to a number that stands in two files, which must never be left unequal. They may be read so, one before another
 * process's plan and one after it: then the edit of the second would change nothing.
 */
const counterScript = `${planScript}
  const expected = ["ERR_BASE_MISMATCH", "CONCURRENT_EDIT", "APPLY_FAILED_ROLLED_BACK", "PATH_NOT_FOUND", "RECOVERY_REQUIRED"];
  const workspace = await openWorkspace({ root, durability: "off" });
  for (let done = 0; done < ${rounds};) {
    const isBusy = await workspace.recover().then(() => false, ({ code }) => code === "workspace_busy");
    if (isBusy) continue;
    await workspace.read(["src/a.txt", "src/b.txt"].map((path) => ({ type: "read_file", path })));
    const [a, b] = ["src/a.txt", "src/b.txt"].map((path) => workspace.readSet.get(path)?.text);
    if (a === undefined || b === undefined) continue;
    const next = String(Number(a) + 1);
    const applied = await workspace.apply(planOf(edit("src/a.txt", a, next), edit("src/b.txt", b, next)));
    if (applied.ok && a !== b) say({ fault: "applied to unequal files" });
    if (applied.ok) { done += 1; say({ done: next }); }
    else if (applied.issues.some(({ code }) => !expected.includes(code) && !(a !== b && code === "ERR_EDIT_APPLY_FAILED"))) say({ fault: applied.issues });
  }
  await workspace.close();
`;

/**
 * Puts a link out of the root in the place of a folder and takes it away again, as fast as it can. A plan may make the folder
 * anew in between: then the old one cannot come back, and the next round needs another name to move the new one to.
 */
const racerScript = `
  for (let round = 0; process.ppid === startedBy; round += 1) {
    const away = root + "/src.away-" + round;
    try { fs.renameSync(root + "/src", away); } catch {}
    try { fs.symlinkSync("../outside", root + "/src"); } catch {}
    try { fs.unlinkSync(root + "/src"); } catch {}
    try { fs.renameSync(away, root + "/src"); } catch {}
    if (calls === -1) { calls = -2; say("racing"); }
  }
`;

/** Replaces a file, as an editor does, in as many ways as there are; says each text that it has put there. */
const editorScript = `
  for (let round = 0; ; round += 1) {
    const text = "theirs " + round;
    const target = root + "/src/a.txt";
    fs.writeFileSync(root + "/.editor", text);
    fs.renameSync(root + "/.editor", target);
    say(text);
    await new Promise((done) => setTimeout(done, 1 + round % 5));
  }
`;

describe("several processes on one workspace", () => {
  it("never interleave their plans, also when one is killed", async () => {
    await writeFile(join(root, "src/a.txt"), "0");
    await writeFile(join(root, "src/b.txt"), "0");
    let left = Math.ceil(rounds / 2);
    const killed = runChild(counterScript, {
      root,
      onLine: (_value, kill) => {
        left -= 1;
        if (left === 0) kill();
      },
    });
    const said = (
      await Promise.all([
        killed,
        runChild(counterScript, { root }),
        runChild(counterScript, { root }),
      ])
    ).flat();
    const events = said as { fault?: unknown; done?: string }[];
    expect(events.filter(({ fault }) => fault !== undefined)).toEqual([]);
    const workspace = await openWorkspace({ root });
    await workspace.recover();
    await workspace.close();
    const [a, b] = await Promise.all(
      ["a", "b"].map((name) => readFile(join(root, `src/${name}.txt`), "utf8")),
    );
    expect(a).toBe(b);
    const acknowledged = events.map(({ done }) => Number(done));
    // No number is given twice, and none that was acknowledged is lost; the killed one may have one more.
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    expect(Number(a) - Math.max(...acknowledged)).toBeLessThanOrEqual(1);
    expect(Number(a)).toBeGreaterThanOrEqual(Math.max(...acknowledged));
    expect(
      (await readdir(join(root, ".ccl/transactions"))).filter((name) =>
        /^lock(?:$|.*\.claim$)/.test(name),
      ),
    ).toEqual([]);
  });

  it("write nothing outside the root while folders are swapped for links", async () => {
    const outside = join(place, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "a.txt"), "outside");
    await writeFile(join(root, "src/a.txt"), "inside");
    const before = await readTree(outside);
    let stop: (() => void) | undefined;
    const started = new Promise<void>((done) => {
      racing = runChild(racerScript, {
        root,
        onLine: (_value, kill) => {
          stop = kill;
          done();
        },
      });
    });
    await started;
    const workspace = await openWorkspace({ root, durability: "off" });
    const codes = new Set<string>();
    // On a busy machine the racer may not have come in between by then.
    const enough = Math.min(rounds * 20, 2000);
    for (let round = 0; round < enough || (codes.size < 2 && round < 1000); round += 1) {
      const plan = planOf({ kind: "CREATE_FILE", path: `src/new-${round}.txt`, content: "new" });
      const applied = await workspace.apply(plan);
      for (const code of applied.ok ? ["applied"] : applied.issues.map((issue) => issue.code))
        codes.add(code);
      const read = await workspace.read([{ type: "read_file", path: "src/a.txt" }]);
      expect(read.blocks[0]?.text).not.toBe("outside");
      const search = await workspace.read([{ type: "search", query: "outside" }]);
      expect(search.blocks[0]?.text).toMatch(/^No hits/);
    }
    stop?.();
    await racing;
    expect(await readTree(outside)).toEqual(before);
    expect(codes.size).toBeGreaterThan(1);
    await workspace.close();
  });

  it("lose no edit of an editor that knows nothing of plans", async () => {
    await writeFile(join(root, "src/a.txt"), "theirs first");
    const texts: string[] = [];
    let stop: (() => void) | undefined;
    const editing = runChild(editorScript, {
      root,
      onLine: (value, kill) => {
        texts.push(String(value));
        stop = kill;
      },
    });
    const workspace = await openWorkspace({ root, durability: "off" });
    let applied = 0;
    const journals = new Set<string>();
    while (texts.length < rounds * 20) {
      await workspace.read([{ type: "read_file", path: "src/a.txt" }]);
      const { text = "", sha256 = "" } = workspace.readSet.get("src/a.txt") ?? {};
      const plan = planOf({
        kind: "EDIT_FILE",
        path: "src/a.txt",
        base_sha256: sha256,
        content: `ours on ${text}`,
      });
      const outcome = await workspace.apply(plan);
      if (!outcome.ok) continue;
      applied += 1;
      journals.add(outcome.value.transactionId);
      // What the plan replaced is the text that it was made for, and nothing newer.
      const [old = ""] = Object.values(
        await readTree(join(root, ".ccl/transactions", outcome.value.transactionId, "moved")),
      );
      expect(Buffer.from(old.split(" ")[3] ?? "", "base64").toString()).toBe(text);
    }
    stop?.();
    await editing;
    expect(applied).toBeGreaterThan(0);
    expect(journals.size).toBe(applied);
    await workspace.close();
  });

  it("patch one memory without losing each other's keys", async () => {
    const keys = ["build_command", "default_test_command", "default_lint_command", "ci_notes"];
    const script = `
      const { createMemoryFiles } = await import(process.env.CCL_BUILT);
      const memory = createMemoryFiles({ userDirectory: root + "/user", root });
      for (let round = 1; round <= ${rounds}; round += 1)
        await memory.patch({ ["project." + process.env.CCL_KEY]: String(round), "user.ask_budget": round % 3 });
    `;
    await Promise.all(keys.map((key) => runChild(script, { root, env: { CCL_KEY: key } })));
    const found: unknown = JSON.parse(await readFile(join(root, ".ccl/project.json"), "utf8"));
    expect(found).toEqual(Object.fromEntries(keys.map((key) => [key, String(rounds)])));
    expect(await readdir(join(root, "user"))).toEqual(["preferences.json"]);
  });

  it("are refused with a clear code when one takes too long", async () => {
    const [first, second] = await Promise.all([openWorkspace({ root }), openWorkspace({ root })]);
    const holder = runChild(
      `const workspace = await openWorkspace({ root });
       const plan = { version: 1, mode: "apply", summary: "", context_requests: [], memory_patch: {}, actions: [{ kind: "CREATE_FILE", path: "slow.txt", content: "" }] };
       await workspace.apply(plan, { checks: [{ name: "slow", command: [process.execPath, "-e", "require('fs').writeFileSync('started', ''); setInterval(() => undefined, 1000)"] }] });`,
      { root },
    ).catch(() => []);
    while (!(await readdir(root)).includes("started"))
      await new Promise((done) => setTimeout(done, 20));
    const plan = planOf({ kind: "CREATE_FILE", path: "mine.txt", content: "" });
    await expect(second.apply(plan)).rejects.toMatchObject({ code: "workspace_busy" });
    const controller = new AbortController();
    const waiting = first.apply(plan, { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await endOwnerOf(root);
    await holder;
    expect(await first.apply(plan)).toMatchObject({ ok: true });
    await Promise.all([first.close(), second.close()]);
  });
});

let racing: Promise<unknown[]> = Promise.resolve([]);

/** Kills the process whose lock it is, and the check that it runs. */
async function endOwnerOf(folder: string): Promise<void> {
  const lock = await readFile(join(folder, ".ccl/transactions/lock"), "utf8");
  const { pid: owner }: { pid: number } = JSON.parse(lock);
  const checks: number[] = [];
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent === owner) checks.push(Number(id));
  }
  // The owner first: it would go on with the plan when its check ends.
  for (const id of [owner, ...checks]) process.kill(id, "SIGKILL");
}
