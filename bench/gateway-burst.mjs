// Measures how long new concurrent sessions wait for the first byte through `ccl proxy`, next to the same requests sent
// directly to a fake API on loopback, and through a bare Node pipe that reads nothing. The three are sent in turns,
// each from one process to another. A ratio is computed within one round, and the figures are medians of the rounds,
// because machines are noisy. `node bench/gateway-burst.mjs --data DIR [--sessions 20] [--rounds 15] [--mode full]
// [--bytes 20000,200000,1000000]`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    role: { type: "string", default: "load" },
    data: { type: "string", default: process.env.CCL_BENCH_DATA },
    sessions: { type: "string", default: "20" },
    rounds: { type: "string", default: "15" },
    mode: { type: "string", default: "full" },
    bytes: { type: "string", default: "20000,200000,1000000" },
    upstream: { type: "string" },
  },
});
const roles = { api: serveApi, pipe: servePipe, load: measure };
await roles[values.role]();

async function listen(server) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  console.log(`http://127.0.0.1:${server.address().port}`);
}

async function serveApi() {
  await listen(
    createServer((asked, response) => {
      asked.resume().once("end", () => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end('data: {"choices":[{"delta":{"content":"Pong"}}]}\n\ndata: [DONE]\n\n');
      });
    }),
  );
}

async function servePipe() {
  const agent = new Agent({ keepAlive: true });
  await listen(
    createServer((asked, response) => {
      const { method, url, headers } = asked;
      const sent = request(values.upstream + url, { method, headers, agent }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      asked.pipe(sent);
    }),
  );
}

/** Starts a process that prints its address. */
async function start(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece) => {
        said += piece;
        const found = /http:\/\/127\.0\.0\.1:\d+(?=\s)/.exec(said);
        if (found !== null) resolve(found[0]);
      });
    child.once("exit", () => reject(new Error(said)));
  });
  return { child, url };
}

/** A body of about that many bytes: recorded agents one after the other, under a first message of its own. */
function bodyOf(runs, bytes, name) {
  const messages = [{ role: "user", content: `Session ${name}: go on with this.` }];
  let length = 0;
  for (let run = 0; length < bytes; run += 1)
    for (const { role, content, tool_calls: calls, tool_call_id: id } of runs[
      (run + name) % runs.length
    ]) {
      const message = {
        role: role === "system" ? "user" : role,
        content: content ?? "",
        ...(calls && { tool_calls: calls.map((call) => ({ ...call, id: `${run}-${call.id}` })) }),
        ...(id && { tool_call_id: `${run}-${id}` }),
      };
      const size = JSON.stringify(message).length;
      if (length > 0 && length + size > bytes * 1.1) return textOf(messages);
      length += size;
      messages.push(message);
    }
  return textOf(messages);
}

function textOf(messages) {
  const tools = [{ type: "function", function: { name: "bash" } }];
  return Buffer.from(JSON.stringify({ model: "gpt-5", stream: true, tools, messages }));
}

function firstByteMs(url, body) {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const headers = { "content-type": "application/json", "content-length": body.length };
    const options = { method: "POST", headers, agent: false };
    const sent = request(`${url}/v1/chat/completions`, options, (response) => {
      response.once("data", () => resolve(performance.now() - startedMs));
      response.resume();
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

function at(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)];
}

async function measure() {
  const runs = readFileSync(join(values.data, "traces/livemcp.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).messages);
  const state = mkdtempSync(join(tmpdir(), "ccl-burst-"));
  const own = new URL(import.meta.url).pathname;
  const api = await start([own, "--role", "api"]);
  const pipe = await start([own, "--role", "pipe", "--upstream", api.url]);
  const cli = new URL("../packages/cli/dist/ccl.js", import.meta.url).pathname;
  const flags = ["--upstream", api.url, "--port", "0", "--mode", values.mode, "--state", state];
  const proxy = await start([cli, "proxy", ...flags]);
  const routes = { direct: api.url, "bare pipe": pipe.url, "ccl proxy": proxy.url };
  let name = 0;
  console.log(
    `| bytes of a body | ${values.sessions} at once through | median, ms | slowest, ms | median / direct's | slowest / direct's |`,
  );
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const bytes of values.bytes.split(",").map(Number)) {
    const rounds = { direct: [], "bare pipe": [], "ccl proxy": [] };
    // The first two rounds warm up the JIT compiler.
    for (let round = -2; round < Number(values.rounds); round += 1) {
      const bodies = Array.from({ length: Number(values.sessions) }, () =>
        bodyOf(runs, bytes, (name += 1)),
      );
      for (const [route, url] of Object.entries(routes)) {
        const times = await Promise.all(bodies.map((body) => firstByteMs(url, body)));
        rounds[route].push([at(times, 0.5), at(times, 1)]);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
    for (const rows of Object.values(rounds)) rows.splice(0, 2);
    for (const [route, rows] of Object.entries(rounds)) {
      const own = [0, 1].map((which) =>
        at(
          rows.map((row) => row[which]),
          0.5,
        ),
      );
      const ratios = [0, 1].map((which) =>
        at(
          rows.map((row, round) => row[which] / rounds.direct[round][which]),
          0.5,
        ),
      );
      console.log(
        `| ${bytes} | ${route} | ${own.map((ms) => ms.toFixed(0)).join(" | ")} | ${ratios.map((ratio) => ratio.toFixed(1)).join(" | ")} |`,
      );
    }
  }
  const stats = await (await fetch(`${proxy.url}/stats`)).json();
  console.log(
    `\n${stats.requests} requests, ${stats.changed} changed, passed: ${JSON.stringify(stats.passed)}`,
  );
  proxy.child.kill("SIGINT");
  await once(proxy.child, "exit");
  for (const { child } of [api, pipe]) child.kill();
  rmSync(state, { recursive: true, force: true });
}
