import { createServer, request } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { constants, createGzip } from "node:zlib";

import { arrayAt, stringAt } from "@ccl/core/json";
import { type ReceivedCall, startTestServer, type TestBehaviour } from "@ccl/providers/testing";
import { expect, it, onTestFinished } from "vitest";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

import { agents, isInstalled, openAgentHome, ownCommand } from "./__fixtures__/coding-agents.ts";

const lines = Array.from({ length: 801 }, (_, at) => `export const value${at} = ${at * 17};`);
const edited = lines.join("\n").replace("value400 = 6800;", "value400 = 6801;");

/** Reads a file, changes a line of it, reads it again, and ends. */
function respond({ body }: ReceivedCall, file: string): TestBehaviour {
  const names = arrayAt(body, "tools").map((tool) => stringAt(tool, "name") ?? "");
  const done = JSON.stringify(body).split(/"(?:tool_result|function_call_output)"/).length - 1;
  const call = (name: string, input: object): TestBehaviour => ({
    type: "answer",
    toolCalls: [{ id: `call_${done}`, name, arguments: JSON.stringify(input) }],
    usage: { inputTokens: JSON.stringify(body).length >> 2, outputTokens: 20 },
  });
  const has = (name: string): boolean => names.includes(name);
  if (done > 2 || names.length === 0) return { type: "answer", text: "All done." };
  const [old, now] = ["value400 = 6800;", "value400 = 6801;"];
  if (has("Read"))
    return done === 1
      ? call("Edit", { file_path: file, old_string: old, new_string: now })
      : call("Read", { file_path: file });
  if (has("read"))
    return done === 1
      ? call("bash", { command: `sed -i 's/${old}/${now}/' ${file}`, description: "Edits" })
      : call("read", { filePath: file });
  const cmd = done === 1 ? `sed -i 's/${old}/${now}/' ${file}` : `cat ${file}`;
  return call("exec_command", { cmd });
}

/** The same server, with its answers in gzip, as the real ones send them. */
async function gzipped(url: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? "/", url);
    const forward = request(
      target,
      {
        method: incoming.method,
        headers: { ...incoming.headers, host: target.host },
        // A pooled connection may be closed while a call begins.
        agent: false,
      },
      (answer) => {
        const { "content-length": _, ...headers } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 500, { ...headers, "content-encoding": "gzip" });
        answer.pipe(createGzip({ flush: constants.Z_SYNC_FLUSH })).pipe(outgoing);
      },
    );
    forward.on("error", () => outgoing.destroy());
    incoming.pipe(forward);
  });
  // A busy machine takes longer between two calls than the default allows an idle connection.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.runIf(isAtLeast("faults")).for(agents)(
  "$command reads, edits and reads again through a full proxy as without it",
  { timeout: 600_000 },
  async (agent, { skip, onTestFinished: finished }) => {
    const { command, dialect } = agent;
    if (!(await isInstalled(command)))
      skip(`There is no ${command} on the PATH; install it from npm.`);
    const bodies: Record<string, unknown>[] = [];
    let file = "";
    const server = await startTestServer({
      idleMs: 600_000,
      respond: (received) => {
        bodies.push(received.body);
        return respond(received, file);
      },
    });
    finished(() => server.close());
    const direct = server.baseUrl(dialect);
    const url = `${await gzipped(direct)}${new URL(direct).pathname.replace(/\/$/, "")}`;
    const ends: { text: string; shown: number; calls: number }[] = [];
    for (const isWrapped of [false, true]) {
      const { project, run } = await openAgentHome(agent, url);
      file = join(project, "values.ts");
      await writeFile(file, lines.join("\n"));
      bodies.length = 0;
      const args = agent
        .args(url, "Set value400 to 6801.")
        .map((arg) => (arg.startsWith("mcp__") ? "Read,Edit" : arg))
        // `ccl wrap` says where the proxy is.
        .filter((arg) => !isWrapped || (arg !== "-c" && !arg.startsWith("openai_base_url")));
      const state = join(project, "..", "state");
      const options = ["--mode", "full", "--upstream", url, "--state", state];
      const own = isWrapped ? ownCommand("wrap", ...options, "--", command) : [command];
      const [program = command, ...first] = own;
      const output = await run(program, [...first, ...args]);
      const isProxied = /[1-9]\d* requests, \d+ with shorter results/.test(output);
      expect({ isDone: output.includes("All done."), isProxied }).toEqual({
        isDone: true,
        isProxied: isWrapped,
      });
      const last = JSON.stringify(bodies.findLast((body) => arrayAt(body, "tools").length > 0));
      const shown = lines.filter((line) => last.includes(line)).length;
      ends.push({ text: await readFile(file, "utf8"), shown, calls: bodies.length });
    }
    const [alone, wrapped] = ends;
    expect(wrapped).toMatchObject({ text: edited, calls: alone?.calls });
    // Codex reads by its shell, whose results it does not take for shown.
    const isWhole = wrapped?.shown === alone?.shown;
    expect(isWhole).toBe(command !== "codex");
  },
);
