import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { startTestServer, type TestBehaviour, type TestServer } from "@ccl/providers/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type CclRun, runCcl } from "./__fixtures__/run-ccl.ts";

const portFile = "export const port = 80;\n";
const patch = {
  kind: "PATCH_FILE",
  path: "src/port.mjs",
  patch: "@@ -1,1 +1,1 @@\n-export const port = 80;\n+export const port = 8080;\n",
  base_sha256: sha256Hex(portFile),
};
const answer = (value: object): TestBehaviour => ({ type: "answer", text: JSON.stringify(value) });
const asks = answer({
  actions: [],
  summary: "Where is it?",
  context_requests: [{ type: "read_file", path: "src/port.mjs" }],
});
const changes = answer({
  actions: [patch],
  summary: "Port 8080.",
  memory_patch: { "project.default_test_command": "npm test" },
});

let root = "";
let server: TestServer | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-gen-"));
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src", "port.mjs"), portFile);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(root, { recursive: true, maxRetries: 3 });
});

const ccl = (args: string[], env: Record<string, string> = {}): Promise<CclRun> =>
  runCcl(args, { cwd: root, env });

async function json(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; document: unknown }> {
  const { code, stdout, stderr } = await ccl([...args, "--json"], env);
  expect(stderr).toBe("");
  return { code, document: JSON.parse(stdout) };
}

/** Flags for a server on loopback that answers so. */
async function modelFlags(...script: TestBehaviour[]): Promise<string[]> {
  server = await startTestServer({ script });
  return ["--model", "any", "--base-url", server.baseUrl("openai")];
}

const portNow = (): Promise<string> => readFile(join(root, "src", "port.mjs"), "utf8");
const gen = ["gen", "Use port 8080."];

describe("ccl gen", () => {
  it("shows what a model would change, suggests what to remember, and writes nothing", async () => {
    const { code, stdout, stderr } = await ccl([...gen, ...(await modelFlags(asks, changes))]);
    expect(code).toBe(0);
    expect(stdout).toContain("+export const port = 8080;\n");
    expect(stderr).toContain(
      "suggests remembering project.default_test_command. Nothing was stored;",
    );
    expect(stderr).toMatch(/2 model calls, [\d,]+ tokens\n$/);
    expect(await portNow()).toBe(portFile);
    expect((await readdir(root)).sort()).toEqual([".ccl", "src"]);
    // What was paid for is kept.
    expect(await runCcl(["plan", "apply"], { cwd: root, isTerminal: true })).toMatchObject({
      code: 0,
    });
    expect(await portNow()).toBe("export const port = 8080;\n");
  });

  it("applies with --apply, from a recording the second time, without a network", async () => {
    await mkdir(join(root, ".ccl"));
    const flags = await modelFlags(asks, changes);
    const recorded = await json([
      ...gen,
      ...flags,
      "--replay",
      ".ccl/answers.json",
      "--out",
      ".ccl/plan.json",
    ]);
    expect(recorded).toMatchObject({
      code: 0,
      document: { mode: "apply", calls: 2, attempts: 1, written: [join(root, ".ccl/plan.json")] },
    });
    await server?.close();
    server = undefined;
    const applied = await json([
      ...gen,
      "--replay",
      ".ccl/answers.json",
      "--apply",
      "--trace",
      "--check",
      `"${process.execPath}" --check src/port.mjs`,
    ]);
    expect(applied).toMatchObject({
      code: 0,
      document: { applied: { checks: [{ status: "passed" }] } },
    });
    expect(await portNow()).toBe("export const port = 8080;\n");
    const traceId = String(Object(applied.document).traceId);
    const trace = await readFile(join(root, ".ccl", "traces", `${traceId}.jsonl`), "utf8");
    const events: unknown[] = trace
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([
      { type: "PROPOSAL_STARTED" },
      ...events.slice(1, -2),
      { type: "PROPOSAL_ENDED", outcome: "ok" },
      { type: "APPLY_SUCCESS" },
    ]);
    // The plan that was kept is a plan like any other.
    await ccl(["plan", "rollback", "last"]);
    expect(await ccl(["plan", "apply", ".ccl/plan.json"])).toMatchObject({ code: 0 });
    expect(await portNow()).toBe("export const port = 8080;\n");
  });

  it("gives the model the pack, a report and the memory, and takes a plan only", async () => {
    await mkdir(join(root, ".ccl"));
    await writeFile(join(root, ".ccl", "project.json"), '{"default_test_command":"node --test"}');
    await writeFile(join(root, "report.txt"), "not ok 1 - src/port.mjs:1:1\n");
    const flags = await modelFlags(answer({ actions: [], summary: "1) src/port.mjs" }));
    const args = [
      ...gen,
      ...flags,
      "--model-encoding",
      "estimate",
      "--report",
      "report.txt",
      "--plan-only",
    ];
    expect(await ccl(args)).toMatchObject({ code: 0, stdout: "1) src/port.mjs\n" });
    const sent = JSON.stringify(server?.calls.map(({ body }) => body));
    for (const part of [
      "[CONTEXT]",
      "=== src/port.mjs H.port",
      "not ok 1",
      "node --test",
      "MODE: PLAN",
      "FILE[src/port.mjs",
    ])
      expect(sent).toContain(part);
  });

  it("gives the model what changed since the accepted base, and nothing of what did not", async () => {
    for (const name of "abcdefgh")
      await writeFile(join(root, `${name}.md`), `# ${name}\n\nStays.\n`.repeat(60));
    await ccl(["init"]);
    await ccl(["pack", "--task", "change the port", "--budget", "300", "--accept"]);
    await writeFile(join(root, "src", "port.mjs"), `${portFile}export const host = "h";\n`);
    const flags = await modelFlags(answer({ actions: [], summary: "1) src/port.mjs" }));
    expect(await ccl([...gen, ...flags, "--use-pack", "--delta", "--plan-only"])).toMatchObject({
      code: 0,
    });
    const sent = JSON.stringify(server?.calls.map(({ body }) => body));
    const delta = sent.slice(sent.indexOf("BASE: ctx@"));
    expect(delta).toContain("+export const host");
    expect(delta).not.toContain("content unchanged");
  });

  it.each([
    {
      name: "a refused plan",
      script: [answer({ actions: [], summary: "x" }), answer({ actions: [], summary: "x" })],
      code: 3,
      error: "plan_refused",
    },
    {
      name: "a model that is not allowed",
      script: [{ type: "error", status: 401 } as const],
      code: 7,
      error: "authentication",
    },
  ])("answers $name with exit code $code", async ({ script, code, error }) => {
    expect(await json([...gen, ...(await modelFlags(...script))])).toMatchObject({
      code,
      document: { error: { code: error } },
    });
  });

  it.each([
    [["gen"], 2, "goal"],
    [["gen", "ok"], 2, "No plan is saved"],
    [[...gen, "--until-green", "2"], 2, "--check"],
    [[...gen, "--model", "unknown"], 2, "ollama/unknown"],
    [[...gen, "--model", "openai/gpt-5"], 7, "OPENAI_API_KEY"],
    [
      [...gen, "--limit", "maxPlans=1", "--model", "any", "--base-url", "http://127.0.0.1:1"],
      2,
      "maxActions",
    ],
    [gen, 2, "Name a model"],
    [[...gen, "--base-url", "http://127.0.0.1:1"], 2, "--model"],
    [[...gen, "--replay", "none.json"], 2, "none.json"],
    [[...gen, "--apply", "--plan-only"], 2, "--plan-only"],
    [["gen", " "], 2, "empty"],
    [[...gen, "--delta", "--model", "any", "--base-url", "http://127.0.0.1:1"], 2, "ccl init"],
  ])("answers %j with exit code %d", async (args, code, message) => {
    expect(await json(args)).toMatchObject({
      code,
      document: { error: { message: expect.stringContaining(message) } },
    });
  });

  describe("--until-green", () => {
    const port = (old: string, fresh: string): TestBehaviour => ({
      type: "answer",
      text: `Another port.\n*** Begin Patch\n*** Update File: src/port.mjs\n@@\n-export const port = ${old};\n+export const port = ${fresh};\n*** End Patch\n`,
    });
    const isGreen = `"${process.execPath}" -e "import('./src/port.mjs').then(({ port }) => { if (port !== 8080) throw new Error('not ok: port is ' + port) })"`;
    const untilGreen = [...gen, "--until-green", "3", "--check", isGreen];

    it("shows the model what failed, and keeps only what passes", async () => {
      const flags = await modelFlags(port("81", "1"), port("80", "8081"), port("80", "8080"));
      const { code, document } = await json([...untilGreen, ...flags]);
      expect({ code, document }).toMatchObject({
        code: 0,
        document: { attempts: 2, calls: 3, applied: { checks: [{ status: "passed" }] } },
      });
      expect(await portNow()).toBe("export const port = 8080;\n");
      const [first = "", second = "", third = ""] =
        server?.calls.map(({ body }) => JSON.stringify(body)) ?? [];
      expect(first).toContain("not ok: port is 80");
      expect(second).toContain("Hunk 1 of 1 for");
      expect(third).toContain("+export const port = 8081;");
      expect(third).toContain("not ok: port is 8081");
    });

    it("leaves all as it was where nothing passes", async () => {
      const flags = await modelFlags(...Array.from({ length: 3 }, () => port("80", "8081")));
      expect(await json([...untilGreen, ...flags])).toMatchObject({
        code: 3,
        document: { error: { code: "checks_failed" } },
      });
      expect(server?.calls.length).toBe(3);
      expect(await portNow()).toBe(portFile);
    });

    it.each([
      [["--max-calls", "1"], "--max-calls"],
      [["--max-tokens", "30"], "--max-tokens"],
      [["--max-usd", "1"], "--price"],
      [["--max-usd", "0.00001", "--price", "3/15"], "--max-usd"],
    ])("stops before a call that %j leaves no room for", async (limits, message) => {
      const flags = await modelFlags(port("80", "8081"), port("80", "8080"));
      expect(await json([...untilGreen, ...flags, ...limits])).toMatchObject({
        code: 4,
        document: { error: { code: "spending_limit", message: expect.stringContaining(message) } },
      });
      expect(await portNow()).toBe(portFile);
    });
  });

  describe("when it is interrupted", () => {
    const change = `Another port.\n*** Begin Patch\n*** Update File: src/port.mjs\n@@\n-${portFile}+export const port = 8080;\n*** End Patch\n`;

    /** A check that asks the server for the number in the file, and waits for its answer. */
    const checkBy = (url: string): string =>
      `"${process.execPath}" -e "import('./src/port.mjs').then(({ port }) => fetch('${url}/' + port)).then(({ ok }) => process.exit(ok ? 0 : 1))"`;

    it.each([
      { when: "while the model streams", stage: "/model", signals: ["SIGHUP"], code: 130 },
      { when: "while the checks run before", stage: "/80", signals: ["SIGINT"], code: 130 },
      // A terminal that is closed sends both.
      {
        when: "with the change in the files",
        stage: "/8080",
        signals: ["SIGHUP", "SIGTERM"],
        code: 130,
      },
      {
        when: "when it has been committed",
        stage: "APPLY_SUCCESS",
        signals: ["SIGINT", "SIGINT"],
        code: 0,
      },
    ])("$when, it exits with $code", async ({ stage, signals, code }) => {
      const stop = new AbortController();
      const upstream = createServer((request, response) => {
        const url = request.method === "POST" ? "/model" : request.url;
        if (url === stage) {
          response.write("data: {}\n\n", () => stop.abort());
          return;
        }
        if (url === "/80") response.statusCode = 500;
        const message = { role: "assistant", content: change };
        response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
      });
      upstream.listen(0, "127.0.0.1");
      await once(upstream, "listening");
      const url = `http://127.0.0.1:${Object(upstream.address()).port}`;
      const flags = ["--check", checkBy(url), "--model", "any", "--base-url", url, "--verbose"];
      const run = await runCcl([...gen, "--until-green", "1", ...flags], {
        cwd: root,
        interrupt: stop.signal,
        signals,
        onError: (text) => {
          if (text.startsWith(stage)) stop.abort();
        },
      });
      upstream.closeAllConnections();
      upstream.close();
      expect(stop.signal.aborted).toBe(true);
      expect(run).toMatchObject({ code });
      expect(await portNow()).toBe(code === 0 ? "export const port = 8080;\n" : portFile);
      expect(await ccl(["plan", "recover"])).toMatchObject({ stdout: "" });
    });
  });

  it("carries out a plan that an earlier run saved", async () => {
    const steps = answer({ summary: "1) src/port.mjs: 8080." });
    const flags = await modelFlags(steps, changes);
    expect(
      await json(["gen", "plan the new port of src/port.mjs", "--plan-only", ...flags]),
    ).toMatchObject({
      code: 0,
      document: { mode: "plan", saved: expect.stringContaining("steps.json") },
    });
    expect(await json(["gen", "ok", "--apply", ...flags])).toMatchObject({ code: 0 });
    expect(await portNow()).toBe("export const port = 8080;\n");
    const sent = JSON.stringify(server?.calls[1]?.body);
    expect(sent).toContain("1) src/port.mjs: 8080.");
    expect(sent).toContain("plan the new port");
    expect(await json(["gen", "ok", ...flags])).toMatchObject({ code: 2 });
  });
});

describe("ccl memory", () => {
  it("shows what was set, and refuses what is no key of it", async () => {
    expect(await json(["memory", "set", "project.default_test_command", "npm test"])).toMatchObject(
      { code: 0 },
    );
    expect(await json(["memory", "set", "project.src_roots", '["src"]'])).toMatchObject({
      code: 0,
    });
    expect(await json(["memory", "show"])).toMatchObject({
      code: 0,
      document: { memory: { project: { default_test_command: "npm test", src_roots: ["src"] } } },
    });
    expect(await json(["memory", "set", "project.unknown", "x"])).toMatchObject({ code: 2 });
  });
});
