import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { startTestServer, type TestServer } from "@ccl/providers/testing";
import { afterEach, beforeEach, expect, it } from "vitest";

import { listeningAddress } from "./__fixtures__/listening-address.ts";

const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
let home: string;
let upstream: TestServer;
let proxy: ChildProcess | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ccl-proxy-"));
  upstream = await startTestServer();
});
afterEach(async () => {
  if (proxy !== undefined && proxy.exitCode === null) {
    const ended = once(proxy, "exit");
    proxy.kill("SIGINT");
    await ended;
  }
  await upstream.close();
  await rm(home, { recursive: true, force: true });
});

function run(argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [program, ...argv], {
    env: { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: join(home, "state"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let said = "";
  for await (const piece of child.stdout ?? []) said += String(piece);
  return said;
}

const log = (bytes: number): string => {
  const lines: string[] = [];
  for (let at = 0; at * 60 < bytes; at++)
    lines.push(`10:${at % 60}:07 INFO worker ${at % 13} handled request ${(at * 7919) % 100_003}`);
  return lines.join("\n");
};

it("shortens requests on a fresh state folder, and repeats what it sent", async () => {
  const address = upstream.baseUrl("openai");
  proxy = run(["proxy", "--upstream", address, "--port", "0", "--mode", "full"]);
  const url = await listeningAddress(proxy);
  const messages: object[] = [{ role: "user", content: "Which request failed?" }];
  for (const [at, bytes] of [100_000, 300, 300].entries()) {
    const call = { id: `c${at}`, type: "function", function: { name: "logs", arguments: "{}" } };
    messages.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: `c${at}`, content: log(bytes) },
    );
    upstream.enqueue({ type: "answer", text: "None." });
    const body = JSON.stringify({ model: "gpt-5", tools: [{ name: "shell" }], messages });
    expect((await fetch(`${url}/chat/completions`, { method: "POST", body })).status).toBe(200);
  }
  const [, second = "", third = ""] = upstream.calls.map(({ body }) =>
    JSON.stringify(body["messages"]).slice(0, -1),
  );
  // The first one, too, unless the disk took longer than the time limit.
  expect(second.length).toBeLessThan(15_000);
  expect(third.startsWith(second)).toBe(true);
  const doctor = await outputOf(run(["--json", "status"], { OPENAI_BASE_URL: url }));
  expect(JSON.parse(doctor)).toMatchObject({
    isHealthy: true,
    stats: { requests: 3, upstreamErrors: 0 },
    findings: [
      { name: "clients" },
      { name: "proxy" },
      { name: "shell", status: "ok" },
      { name: "traffic" },
    ],
  });
  const ui = ["ui", "--json", "gateway", "--gateway", url];
  const [seen, elsewhere] = await Promise.all(
    [ui, [...ui, "--state", join(home, "other")]].map(async (argv) =>
      JSON.parse(await outputOf(run(argv))),
    ),
  );
  expect(seen).toMatchObject({ sessions: [{ source: "gateway", prompts: 3 }] });
  expect(seen.live).toEqual({ url, figures: expect.objectContaining({ requests: 3 }) });
  expect(elsewhere).toMatchObject({
    requests: 0,
    live: { problem: expect.stringContaining("--state"), figures: { requests: 3 } },
  });
});

it("gives messages and what they leave out to a service in front of the API", async () => {
  proxy = run(["proxy", "--upstream", "http://127.0.0.1:1", "--port", "0", "--mode", "full"]);
  const url = await listeningAddress(proxy);
  const content = log(40_000).replace("INFO worker 5", "ERROR worker 5");
  const post = (body: object): Promise<Response> =>
    fetch(`${url}/v1/compress`, { method: "POST", body: JSON.stringify(body) });
  const messages = [
    { role: "user", content: "Which request failed?" },
    { role: "assistant", content: null, tool_calls: [{ id: "c", function: { name: "logs" } }] },
    { role: "tool", tool_call_id: "c", content },
  ];
  const answer: unknown = await (await post({ model: "gpt-5", messages })).json();
  const [, hash = ""] = /hash=([a-f0-9]{24})/.exec(JSON.stringify(answer)) ?? [];
  const last = expect.objectContaining({ tool_call_id: "c" });
  expect(answer).toMatchObject({ messages: [...messages.slice(0, 2), last] });
  const retrieve = (query: string, headers = {}): Promise<Response> =>
    fetch(`${url}/v1/retrieve/${hash}${query}`, { headers });
  expect(await (await retrieve("")).json()).toMatchObject({ original_content: content });
  const found = await (await retrieve("?query=ERROR")).text();
  expect(found).toContain("ERROR worker 5");
  expect(found.length).toBeLessThan(content.length / 4);
  expect((await retrieve("", { authorization: "Bearer other" })).status).toBe(404);
  expect((await post({ prompt: "x" })).status).toBe(400);
});
