import { execFile } from "node:child_process";

import type { FileHistory } from "@ccl/aliases";

import { usageError } from "./cli-error.ts";
import type { Session } from "./session.ts";

/** The result of a git call. `code` is undefined if git is not installed. */
interface GitOutput {
  code: number | undefined;
  stdout: Buffer;
  stderr: string;
}

/** Maximum output of one call. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** Runs git without password prompts, and collects its output. */
export async function runGit(
  args: string[],
  { signal, terminal }: Pick<Session, "signal" | "terminal">,
  input = "",
): Promise<GitOutput> {
  signal.throwIfAborted();
  const env = { ...process.env, ...terminal.env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
  const options = {
    env,
    signal,
    encoding: "buffer",
    maxBuffer: MAX_BYTES,
    windowsHide: true,
  } as const;
  const output = await new Promise<GitOutput>((settle) => {
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      const code =
        error === null ? 0 : error.code === "ENOENT" ? undefined : Number(error.code) || 1;
      settle({ code, stdout, stderr: stderr.toString("utf8") });
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
  signal.throwIfAborted();
  return output;
}

/** Runs git in the root. @throws CliError `usage`, with `refusal` before git's reason */
export async function gitInRoot(
  session: Session,
  args: string[],
  { refusal, input }: { refusal: string; input?: string | undefined },
): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(["-C", session.root, ...args], session, input);
  if (code === 0) return stdout;
  const [firstLine = ""] = stderr.trim().split("\n");
  const reason =
    code === undefined ? "git is not installed" : firstLine || `it exited with ${code}`;
  throw usageError(`${refusal}: ${reason}.`);
}

const MAX_COMMITS = 1500;

/** Reads the commits of the repository that contains the root. Empty without git or a repository. */
export function gitHistory(session: Session): FileHistory {
  return {
    async *commits() {
      const args = ["-C", session.root, "-c", "core.quotePath=off", "log", "--no-merges"];
      const format = ["--no-renames", "--relative", "--name-only", "--format=%x00%s"];
      const { stdout } = await runGit([...args, ...format, `--max-count=${MAX_COMMITS}`], session);
      for (const commit of stdout.toString("utf8").split("\0").slice(1)) {
        const [subject = "", ...files] = commit.split("\n").filter((line) => line !== "");
        yield { subject, files };
      }
    },
  };
}
