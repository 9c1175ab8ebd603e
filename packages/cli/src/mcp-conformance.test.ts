import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

const programOf = (name: string, from: string): string => {
  const { resolve } = createRequire(new URL(from, import.meta.url));
  return join(dirname(resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");
};
const suite = programOf("conformance", import.meta.url);
const everything = programOf("server-everything", "../../mcp/package.json");
const fixture = fileURLToPath(new URL("__fixtures__/conformance-server.mjs", import.meta.url));
const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
/** Those of the suite that need no tool, resource or prompt of its own. */
const general = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
];

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-conformance-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts a server and returns the address that it writes to stderr. */
async function listening(args: string[], cwd: string, port?: number): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, PORT: String(port) };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
  });
  for await (const line of createInterface({ input: child.stderr })) {
    child.stderr.resume();
    if (/listening/.test(line))
      return /http:\S+/.exec(line)?.[0] ?? `http://127.0.0.1:${String(port)}/mcp`;
  }
  throw new Error(`${args.join(" ")} ended`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return address !== null && typeof address === "object" ? address.port : 0;
}

/** The names of the scenarios that a server passes. */
async function passedBy(url: string): Promise<string[]> {
  const cwd = await emptyFolder();
  const args = [suite, "server", "--url", url, "--suite", "all"];
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 1 << 26 }, (_, stdout) => done(stdout));
  });
  const lines = [...output.matchAll(/^(\S) (\S+): \d+ passed, \d+ failed/gm)];
  expect(lines.length).toBeGreaterThan(25);
  return lines.flatMap(([, mark, name = ""]) => (mark === "✓" ? [name] : []));
}

async function proxyOf(args: string[]): Promise<string> {
  const cwd = await emptyFolder();
  const mcpServers = { one: { command: process.execPath, args } };
  await writeFile(join(cwd, "mcp.json"), JSON.stringify({ mcpServers }));
  return listening([program, "mcp", "proxy", "--config", "mcp.json", "--http"], cwd);
}

describe.skipIf(!isAtLeast("faults"))("the conformance suite", () => {
  it("passes through the proxy where it passes at the server itself", async () => {
    const direct = await passedBy(await listening([fixture, "http"], await emptyFolder()));
    expect(direct.length).toBeGreaterThan(27);
    expect(await passedBy(await proxyOf([fixture]))).toEqual(expect.arrayContaining(direct));
  });

  it("passes at server-everything through the proxy as directly", async () => {
    const args = [everything, "streamableHttp"];
    const direct = await passedBy(await listening(args, await emptyFolder(), await freePort()));
    expect(direct).toContain("tools-call-error");
    // It has none of the tools that the suite asks for, so the suite does find what is missing.
    expect(direct).not.toContain("tools-call-image");
    expect(await passedBy(await proxyOf([everything, "stdio"]))).toEqual(
      expect.arrayContaining(direct),
    );
  });

  it("passes at `ccl mcp` as far as it needs nothing of the suite's own", async () => {
    const url = await listening([program, "mcp", "--http"], await emptyFolder());
    expect(await passedBy(url)).toEqual(expect.arrayContaining(general));
  });
});
