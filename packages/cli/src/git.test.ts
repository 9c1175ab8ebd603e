import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HistoryCommit } from "@ccl/aliases";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { gitHistory } from "./git.ts";
import { openSession } from "./session.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ccl-history-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function commitsOf(folder: string): Promise<HistoryCommit[]> {
  const { stdin, stdout, stderr, platform } = process;
  const terminal = { stdin, stdout, stderr, platform, env: {}, cwd: () => folder };
  const session = await openSession({}, { terminal, signal: new AbortController().signal });
  const commits: HistoryCommit[] = [];
  for await (const commit of gitHistory(session).commits()) commits.push(commit);
  return commits;
}

describe("gitHistory", () => {
  it("is empty where there is no repository", async () => {
    expect(await commitsOf(root)).toEqual([]);
  });

  it("gives the newest commit first, with the paths below the root as they are written", async () => {
    const git = (...args: string[]): void => {
      const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
      execFileSync("git", ["-C", root, ...author, ...args], { stdio: "pipe" });
    };
    git("init", "-q");
    mkdirSync(join(root, "app"));
    for (const [path, subject] of [
      ["app/main.ts", "Add the program"],
      ["app/имя файла.ts", 'Say "hello"'],
      ["other.ts", "Something else"],
    ] as const) {
      writeFileSync(join(root, path), `${subject}\n`);
      git("add", "-A");
      git("commit", "-q", "-m", subject, "-m", "with a body");
    }
    expect(await commitsOf(join(root, "app"))).toEqual([
      { subject: "Something else", files: [] },
      { subject: 'Say "hello"', files: ["имя файла.ts"] },
      { subject: "Add the program", files: ["main.ts"] },
    ]);
  });
});
