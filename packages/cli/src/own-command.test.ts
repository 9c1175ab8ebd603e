import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { ownCommand, ownWords } from "./own-command.ts";
import { openSession, type Terminal } from "./session.ts";
import { hookSettings } from "./settings/hook-settings.ts";
import { mcpSettings } from "./settings/mcp-settings.ts";

async function folderWith(place: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ccl own ")));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, place), { recursive: true });
  await writeFile(join(folder, place, "ccl.mjs"), "console.log(process.argv.slice(2).join());\n");
  return folder;
}

function terminalOf(root: string, file: string): Terminal {
  const stream = { write: () => true, on: () => undefined };
  const argv = [process.execPath, file];
  return {
    stdin: {},
    stdout: stream,
    stderr: stream,
    env: { HOME: root },
    platform: "linux",
    argv,
    cwd: () => root,
  };
}

it("starts the file of a clone, also through a link, from any folder and in a shell", async () => {
  const root = await folderWith("clone");
  await symlink(join(root, "clone/ccl.mjs"), join(root, "ccl"));
  const terminal = terminalOf(root, join(root, "ccl"));
  const { args } = ownCommand(terminal);
  const { execPath } = process;
  expect(execFileSync(execPath, [...args, "mcp"], { encoding: "utf8", cwd: tmpdir() })).toBe(
    "mcp\n",
  );
  const inShell = `${ownWords(terminal).replace(/^node/, execPath)} shrink`;
  expect(execFileSync("sh", ["-c", inShell], { encoding: "utf8", cwd: tmpdir() })).toBe("shrink\n");
});

it("asks npx for one that is installed", async () => {
  const root = await folderWith("node_modules/@ccl/cli");
  const terminal = terminalOf(root, join(root, "node_modules/@ccl/cli/ccl.mjs"));
  expect(ownCommand(terminal)).toEqual({ program: "npx", args: ["-y", "@ccl/cli"] });
  expect(ownWords(terminal)).toBe("npx -y @ccl/cli");
  expect(ownWords(terminal, "ccl")).toBe("ccl");
});

it("puts a clone's command in the place of an older one, and takes out either", async () => {
  const root = await folderWith("clone");
  const sessionAt = (file: string) =>
    openSession({}, { terminal: terminalOf(root, file), signal: new AbortController().signal });
  const clone = await sessionAt(join(root, "clone/ccl.mjs"));
  const installed = await sessionAt(process.argv[1] ?? "");
  for (const settings of [
    hookSettings.get("claude-code"),
    hookSettings.get("codex"),
    mcpSettings.get("cursor"),
  ]) {
    if (settings === undefined) throw new Error("a client is missing");
    const before = settings(installed, false).edit("");
    expect(before).toContain("npx");
    const after = settings(clone, false).edit(before);
    expect(after).toContain("ccl.mjs");
    expect(after).not.toContain("npx");
    expect(settings(installed, false).remove(after)).toBe("");
  }
});
