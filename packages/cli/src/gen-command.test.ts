import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
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
const gen = ["gen", "--task", "Use port 8080."];

describe("ccl gen", () => {
  it("shows what a model would change, suggests what to remember, and writes nothing", async () => {
    const { code, stdout, stderr } = await ccl([...gen, ...(await modelFlags(asks, changes))]);
    expect(code).toBe(0);
    expect(stdout).toContain("+export const port = 8080;\n");
    expect(stderr).toContain(
      "suggests to remember project.default_test_command; nothing was remembered.",
    );
    expect(stderr).toContain("2 model calls\n");
    expect(await portNow()).toBe(portFile);
    expect(await readdir(root)).toEqual(["src"]);
  });

  it("applies with --apply, from a recording the second time, without a network", async () => {
    const flags = await modelFlags(asks, changes);
    const recorded = await json([
      ...gen,
      ...flags,
      "--replay",
      "answers.json",
      "--out",
      "plan.json",
    ]);
    expect(recorded).toMatchObject({
      code: 0,
      document: { mode: "apply", calls: 2, written: [join(root, "plan.json")] },
    });
    await server?.close();
    server = undefined;
    const applied = await json([
      ...gen,
      "--replay",
      "answers.json",
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
    const trace: unknown = JSON.parse(
      await readFile(join(root, ".ccl", "traces", `${traceId}.json`), "utf8"),
    );
    expect(trace).toMatchObject({
      outcome: "ok",
      events: expect.arrayContaining([expect.objectContaining({ type: "APPLY_SUCCESS" })]),
    });
    // The plan that was kept is a plan like any other.
    await ccl(["plan", "rollback", "last"]);
    expect(await ccl(["plan", "apply", "plan.json"])).toMatchObject({ code: 0 });
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
      "--use-pack",
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
    [["gen"], 2, "--task"],
    [gen, 2, "Name a model"],
    [[...gen, "--base-url", "http://127.0.0.1:1"], 2, "--model"],
    [[...gen, "--replay", "none.json"], 2, "none.json"],
    [[...gen, "--apply", "--plan-only"], 2, "--plan-only"],
    [["gen", "--task", " "], 2, "empty"],
    [[...gen, "--delta", "--model", "any", "--base-url", "http://127.0.0.1:1"], 2, "ccl init"],
  ])("answers %j with exit code %d", async (args, code, message) => {
    expect(await json(args)).toMatchObject({
      code,
      document: { error: { message: expect.stringContaining(message) } },
    });
  });
});
