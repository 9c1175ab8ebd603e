import { spawn } from "node:child_process";

import type { Session } from "./session.ts";

/** How a call of git ended; `code` is undefined where git is not installed. */
export interface GitOutput {
  code: number | null | undefined;
  stdout: string;
  stderr: string;
}

/** Runs git without asking for passwords, and collects what it prints. */
export async function runGit(
  args: string[],
  { signal, terminal }: Pick<Session, "signal" | "terminal">,
): Promise<GitOutput> {
  signal.throwIfAborted();
  const child = spawn("git", args, {
    env: { ...process.env, ...terminal.env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" },
    signal,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const output: GitOutput = { code: undefined, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  await new Promise<void>((settle) => {
    child.on("error", () => settle());
    child.on("close", (code) => {
      output.code = code;
      settle();
    });
  });
  signal.throwIfAborted();
  return output;
}
