import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { arrayAt, stringAt } from "@ccl/core/json";
import type { TestDialect } from "@ccl/providers/testing";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../dist/ccl.js", import.meta.url));

/** A coding agent from npm that runs without a terminal. */
export interface Agent {
  /** Its name for `ccl mcp install`. */
  client: string;
  command: string;
  dialect: TestDialect;
  /** Path of its settings file, relative to the home folder. */
  settings: string;
  /** Adds a server that this command starts. */
  addServer(text: string, name: string, command: string[]): string;
  args(url: string, prompt: string): string[];
  env(url: string): Record<string, string>;
}

/** Coding agents from npm that run without a terminal. */
export const agents: Agent[] = [
  {
    client: "claude-code",
    command: "claude",
    dialect: "anthropic",
    settings: ".claude.json",
    addServer: (text, name, [command, ...args]) =>
      addJson(text, "mcpServers", { [name]: { type: "stdio", command, args } }),
    args: (_, prompt) => ["-p", prompt, "--allowedTools", "mcp__ccl,mcp__more,mcp__plain,mcp__control"],
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

/** A tool in an agent's request. */
export interface ListedTool {
  name: string;
  /** Codex lists the tools of a server together. */
  namespace?: string | undefined;
}

/** Returns the tools that a request offers. */
export function listedTools(body: Record<string, unknown>): ListedTool[] {
  return arrayAt(body, "tools").flatMap((tool) => {
    const name = stringAt(tool, "name") ?? "";
    const inner = arrayAt(tool, "tools").map((one) => stringAt(one, "name") ?? "");
    return inner.length > 0 ? inner.map((one) => ({ name: one, namespace: name })) : [{ name }];
  });
}

const paths = (process.env["PATH"] ?? "").split(delimiter);

/** True for a command on the PATH. */
export async function isInstalled(command: string): Promise<boolean> {
  const found = await Promise.allSettled(paths.map((path) => access(join(path, command))));
  return found.some(({ status }) => status === "fulfilled");
}

/** A project in its own home folder. */
export interface AgentHome {
  project: string;
  /** Adds a server, started by this command, to the agent's settings. */
  add(name: string, command: string[]): Promise<void>;
  /** Runs a command in the project and returns its output. */
  run(command: string, args: string[]): Promise<string>;
}

/** Creates a home folder with an `npx` that runs this ccl, and adds it to the agent as a server. */
export async function openAgentHome(agent: Agent, url: string): Promise<AgentHome> {
  const home = await mkdtemp(join(tmpdir(), "ccl-agents-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const [project, bin] = [join(home, "project"), join(home, "bin")];
  await mkdir(project);
  await mkdir(bin);
  const npx = `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${program}" "$@"\n`;
  await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
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
  await run(process.execPath, [program, "mcp", "install", agent.client, "--yes"]);
  const settings = join(home, agent.settings);
  return {
    project,
    run,
    async add(name, command) {
      const added = agent.addServer(await readFile(settings, "utf8"), name, command);
      await writeFile(settings, added);
    },
  };
}

/** Returns the command that runs this ccl. */
export function ownCommand(...args: string[]): string[] {
  return [process.execPath, program, ...args];
}
