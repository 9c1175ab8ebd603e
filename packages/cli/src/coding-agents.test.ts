import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { sha8 } from "@ccl/core";
import { type ReceivedCall, startTestServer, type TestBehaviour } from "@ccl/providers/testing";
import { expect, it } from "vitest";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

import {
  agents,
  isInstalled,
  listedTools,
  openAgentHome,
  ownCommand,
} from "./__fixtures__/coding-agents.ts";

const everything = join(
  dirname(
    createRequire(new URL("../../mcp/package.json", import.meta.url)).resolve(
      "@modelcontextprotocol/server-everything/package.json",
    ),
  ),
  "dist/index.js",
);

/** A model that waits for the servers, packs the project, asks a tool behind the proxy and repeats what they said. */
function respond({ body }: ReceivedCall): TestBehaviour {
  const said = JSON.stringify(body);
  const tools = listedTools(body);
  const call = (pattern: RegExp, input: object): TestBehaviour | undefined => {
    const tool = tools.find(({ name, namespace = "" }) => pattern.test(`${namespace}_${name}`));
    const id = `call_${sha8(said)}`;
    return (
      tool && { type: "answer", toolCalls: [{ id, ...tool, arguments: JSON.stringify(input) }] }
    );
  };
  const answer: TestBehaviour = { type: "answer", text: "A title" };
  if (tools.length === 0) return answer;
  const flower = /sunflower-\d+/.exec(said)?.[0];
  const sum = /The sum of 17 and 25 is \d+/.exec(said)?.[0];
  if (flower !== undefined && sum !== undefined)
    return { type: "answer", text: `${flower}. ${sum}.` };
  const next =
    flower === undefined
      ? call(/ccl_+pack$/, { task: "Which flower?" })
      : call(/more_+call_tool$/, { name: "get-sum", input: { a: 17, b: 25 } });
  return (
    next ?? call(/_WaitForMcpServers$/, {}) ?? call(/_exec_command$/, { cmd: "sleep 1" }) ?? answer
  );
}

it.runIf(isAtLeast("faults")).for(agents)(
  "$command calls the project's tools and those behind the proxy",
  async (agent, { skip, onTestFinished }) => {
    const { command, dialect } = agent;
    if (!(await isInstalled(command)))
      skip(`There is no ${command} on the PATH; install it from npm.`);
    const server = await startTestServer({ respond });
    onTestFinished(() => server.close());
    const url = server.baseUrl(dialect);
    const { project, add, run } = await openAgentHome(agent, url);
    await writeFile(join(project, "main.ts"), "export const flower = 'sunflower-7391';\n");
    const servers = { all: { command: process.execPath, args: [everything] } };
    await writeFile(join(project, "mcp.json"), JSON.stringify({ mcpServers: servers }));
    const proxy = ["mcp", "proxy", "--config", join(project, "mcp.json"), "--list-tokens", "600"];
    await add("more", ownCommand(...proxy));
    const output = await run(command, agent.args(url, "Which flower, and which sum?"));
    expect(output).toContain("sunflower-7391. The sum of 17 and 25 is 42.");
  },
);
