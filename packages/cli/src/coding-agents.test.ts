import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { sha8 } from "@ccl/core";
import { arrayAt, stringAt } from "@ccl/core/json";
import {
  type ReceivedCall,
  startTestServer,
  type TestBehaviour,
  type TestDialect,
} from "@ccl/providers/testing";
import { expect, it } from "vitest";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
const everything = join(
  dirname(
    createRequire(new URL("../../mcp/package.json", import.meta.url)).resolve(
      "@modelcontextprotocol/server-everything/package.json",
    ),
  ),
  "dist/index.js",
);
const isLong = isAtLeast("faults");

interface Agent {
  /** As `ccl mcp install` calls it. */
  client: string;
  command: string;
  dialect: TestDialect;
  /** Of its settings, below the home folder. */
  settings: string;
  /** Adds a server that is started by this command. */
  addServer(text: string, name: string, command: string[]): string;
  args(url: string, prompt: string): string[];
  env(url: string): Record<string, string>;
}

const agents: Agent[] = [
  {
    client: "claude-code",
    command: "claude",
    dialect: "anthropic",
    settings: ".claude.json",
    addServer: (text, name, [command, ...args]) =>
      addJson(text, "mcpServers", { [name]: { type: "stdio", command, args } }),
    args: (_, prompt) => ["-p", prompt, "--allowedTools", "mcp__ccl,mcp__more"],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  },
  {
    client: "codex",
    command: "codex",
    dialect: "openai-responses",
    settings: ".codex/config.toml",
    addServer: (text, name, [command, ...args]) =>
      `${text}\n[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
    args: (url, prompt) => [
      "exec",
      "-c",
      `openai_base_url="${url}"`,
      "--skip-git-repo-check",
      "-m",
      "gpt-5",
      "--dangerously-bypass-approvals-and-sandbox",
      prompt,
    ],
    env: () => ({ CODEX_API_KEY: "none", OPENAI_API_KEY: "none" }),
  },
  {
    client: "opencode",
    command: "opencode",
    dialect: "openai-responses",
    settings: ".config/opencode/opencode.json",
    addServer: (text, name, command) =>
      addJson(text, "mcp", { [name]: { type: "local", command, enabled: true } }),
    args: (_, prompt) => ["run", "-m", "openai/gpt-5", prompt],
    env: (url) => ({
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: "none",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    }),
  },
];

function addJson(text: string, key: string, entry: object): string {
  const settings = JSON.parse(text);
  return JSON.stringify({ ...settings, [key]: { ...settings[key], ...entry } });
}

interface ListedTool {
  name: string;
  /** Codex lists the tools of a server together. */
  namespace?: string | undefined;
}

function listedTools(body: Record<string, unknown>): ListedTool[] {
  return arrayAt(body, "tools").flatMap((tool) => {
    const name = stringAt(tool, "name") ?? "";
    const inner = arrayAt(tool, "tools").map((one) => stringAt(one, "name") ?? "");
    return inner.length > 0 ? inner.map((one) => ({ name: one, namespace: name })) : [{ name }];
  });
}

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

const paths = (process.env["PATH"] ?? "").split(delimiter);

async function isInstalled(command: string): Promise<boolean> {
  const found = await Promise.allSettled(paths.map((path) => access(join(path, command))));
  return found.some(({ status }) => status === "fulfilled");
}

/** A project, and an `npx` that runs this ccl. */
async function makeHome(): Promise<{ home: string; project: string; bin: string }> {
  const home = await mkdtemp(join(tmpdir(), "ccl-agents-"));
  const [project, bin] = [join(home, "project"), join(home, "bin")];
  await mkdir(project);
  await mkdir(bin);
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${program}" "$@"\n`;
  await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
  await writeFile(join(project, "main.ts"), "export const flower = 'sunflower-7391';\n");
  const servers = { all: { command: process.execPath, args: [everything] } };
  await writeFile(join(project, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  return { home, project, bin };
}

it.runIf(isLong).for(agents)(
  "$command calls the project's tools and those behind the proxy",
  async (agent, { skip, onTestFinished }) => {
    const { client, command, dialect } = agent;
    if (!(await isInstalled(command)))
      skip(`There is no ${command} on the PATH; install it from npm.`);
    const { home, project, bin } = await makeHome();
    onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const server = await startTestServer({ respond });
    onTestFinished(() => server.close());
    const url = server.baseUrl(dialect);
    const PATH = [bin, dirname(process.execPath), ...paths].join(delimiter);
    const env = { PATH, HOME: home, ...agent.env(url) };
    const run = async (name: string, args: string[]): Promise<string> => {
      const child = spawn(name, args, { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      child.stdout.on("data", (piece) => (output += String(piece)));
      child.stderr.on("data", (piece) => (output += String(piece)));
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${output}`);
      return output;
    };
    await run(process.execPath, [program, "mcp", "install", client, "--yes"]);
    const settings = join(home, agent.settings);
    const proxy = ["mcp", "proxy", "--config", join(project, "mcp.json"), "--list-tokens", "600"];
    const added = ["npx", "-y", "@ccl/cli", ...proxy];
    await writeFile(settings, agent.addServer(await readFile(settings, "utf8"), "more", added));
    const output = await run(command, agent.args(url, "Which flower, and which sum?"));
    expect(output).toContain("sunflower-7391. The sum of 17 and 25 is 42.");
  },
);
