import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { isRecord, parseJson, recordAt } from "@ccl/core/json";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAtLeast, kills } from "../../../scripts/lengths/test-length.mjs";

const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
const { resolve } = createRequire(new URL("../../mcp/package.json", import.meta.url));
const serverAt = (name: string): string =>
  join(dirname(resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");
const isLong = isAtLeast("faults");

let home: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ccl-mcp-faults-"));
  const node = (...args: string[]): object => ({ command: process.execPath, args });
  const mcpServers = {
    all: node(serverAt("server-everything")),
    files: node(serverAt("server-filesystem"), home),
  };
  await writeFile(join(home, "mcp.json"), JSON.stringify({ mcpServers }));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/** Processes that have not ended, nor wait to be collected. */
function running(): RunningProcess[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return listed.split("\n").flatMap((line) => {
    const [, pid, parent, state = "", command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith("Z")
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

const childrenOf = (pid: number | undefined): number[] =>
  running().flatMap((one) => (one.parent === pid ? [one.pid] : []));

const stillThere = (pids: readonly number[]): RunningProcess[] =>
  running().filter(({ pid }) => pids.includes(pid));

/** A client that speaks to the proxy line by line, and knows which of its requests are answered. */
interface Connection {
  process: ChildProcess;
  /** Undefined when the connection ends before the answer. */
  request(method: string, params?: object): Promise<unknown>;
}

function connectTo(args: readonly string[]): Connection {
  const env = { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: home };
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  started.push(child);
  const waiting = new Map<unknown, (answer: unknown) => void>();
  let isOver = false;
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parseJson(line);
    if (isRecord(message)) waiting.get(message["id"])?.(message);
  });
  child.stdout.on("close", () => {
    isOver = true;
    for (const answer of waiting.values()) answer(undefined);
  });
  return {
    process: child,
    request(method, params) {
      const id = waiting.size + 1;
      return new Promise((resolveAnswer) => {
        waiting.set(id, resolveAnswer);
        if (isOver) resolveAnswer(undefined);
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      });
    },
  };
}

const proxyArgs = (): string[] => [program, "mcp", "proxy", "--config", join(home, "mcp.json")];

/** After the handshake, with a server that logs by a timer, as one that no closed stdin ends. */
async function openConnection(args = proxyArgs()): Promise<Connection> {
  const connection = connectTo(args);
  await connection.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  await connection.request("tools/call", { name: "all__toggle-simulated-logging" });
  return connection;
}

const sumText = "The sum of 17 and 25 is 42";

const slow = (connection: Connection, duration = 30): Promise<unknown> =>
  connection.request("tools/call", {
    name: "all__trigger-long-running-operation",
    arguments: { duration, steps: 1 },
  });

it.runIf(isLong)(
  `answers what a killed server was asked, ${kills} times, and starts it again`,
  async () => {
    const connection = await openConnection();
    for (let round = 0; round < kills; round += 1) {
      const sum = { name: "all__get-sum", arguments: { a: 17, b: 25 } };
      const many = Array.from({ length: 50 }, () => connection.request("tools/call", sum));
      const asked = [slow(connection), slow(connection), ...many];
      expect(JSON.stringify(await many[round % many.length])).toContain(sumText);
      const victims = childrenOf(connection.process.pid).filter((pid) =>
        stillThere([pid])[0]?.command.includes("everything"),
      );
      expect(victims).toHaveLength(1);
      for (const pid of victims) process.kill(pid, "SIGKILL");
      for (const [at, answer] of (await Promise.all(asked)).entries()) {
        const result = recordAt(answer, "result");
        const isRefused =
          result["isError"] === true || recordAt(answer, "error")["code"] !== undefined;
        expect(isRefused || (at >= 2 && JSON.stringify(result).includes(sumText))).toBe(true);
      }
      await expect
        .poll(async () => JSON.stringify(await connection.request("tools/call", sum)), {
          timeout: 60_000,
        })
        .toContain(sumText);
    }
  },
  600_000,
);

it.runIf(isLong)(
  `leaves no process when the proxy is killed, ${kills} times`,
  async () => {
    for (let round = 0; round < kills; round += 1) {
      const connection = await openConnection();
      const servers = childrenOf(connection.process.pid);
      expect(servers.length).toBeGreaterThanOrEqual(2);
      const asked = slow(connection);
      await connection.request("ping");
      connection.process.kill("SIGKILL");
      expect(await asked).toBeUndefined();
      await expect.poll(() => stillThere(servers), { timeout: 20_000 }).toEqual([]);
    }
  },
  600_000,
);

it.runIf(isLong)(
  "would show a server that stays, since it does not heed the end of its input",
  async () => {
    const script = `process.stdin.on("data", (data) => {
    const { id, params } = JSON.parse(data);
    const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo: { name: "x", version: "1" } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  setInterval(() => undefined, 1000);`;
    const mcpServers = { stays: { command: process.execPath, args: ["-e", script] } };
    await writeFile(join(home, "mcp.json"), JSON.stringify({ mcpServers }));
    const connection = await openConnection();
    const servers = childrenOf(connection.process.pid);
    expect(servers).toHaveLength(1);
    connection.process.kill("SIGKILL");
    try {
      await sleep(3_000);
      expect(stillThere(servers)).toHaveLength(1);
    } finally {
      for (const pid of servers) process.kill(pid, "SIGKILL");
    }
  },
);

it.runIf(isLong)(
  `leaves no process when the client is killed, ${kills} times`,
  async () => {
    // The client stands between: it starts the proxy and hands on what it reads.
    const script = `const { spawn } = require("node:child_process");
    const proxy = spawn(process.execPath, process.argv.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    process.stdin.pipe(proxy.stdin);
    proxy.stdout.pipe(process.stdout);`;
    for (let round = 0; round < kills; round += 1) {
      const connection = await openConnection(["-e", script, "--", ...proxyArgs()]);
      const [proxy = 0] = childrenOf(connection.process.pid);
      const all = [proxy, ...childrenOf(proxy)];
      expect(all.length).toBeGreaterThanOrEqual(3);
      void slow(connection);
      await connection.request("ping");
      connection.process.kill("SIGKILL");
      await expect.poll(() => stillThere(all), { timeout: 20_000 }).toEqual([]);
    }
  },
  600_000,
);
