import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { CliError } from "./cli-error.ts";
import { runGit } from "./git.ts";
import type { Session } from "./session.ts";

/** Number of commits to fetch, since the history influences the ranking. */
const DEPTH = 200;

/** Runs `work` on a clone in a temporary folder, then removes it. */
export async function withRemote<T>(
  session: Session,
  { remote, branch }: { remote: string; branch?: string | undefined },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-remote-"));
  try {
    const root = join(folder, "repository");
    const depth = [`--depth=${DEPTH}`, "--single-branch", "--no-tags", "--quiet"];
    const from = branch === undefined ? [] : [`--branch=${branch}`];
    const address = await addressOf(remote, session);
    session.progress.update("Cloning", 0);
    const { code, stderr } = await runGit(
      ["-c", "core.symlinks=false", "clone", ...depth, ...from, "--", address, root],
      session,
    );
    session.progress.clear();
    if (code !== 0) throw cloneFailed(remote, code === undefined ? "git is not installed" : stderr);
    return await work({ ...session, root, directory: ".ccl" });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns the address to clone: a local folder, `owner/name` on GitHub, or anything git accepts. */
async function addressOf(remote: string, { terminal }: Session): Promise<string> {
  const folder = resolve(terminal.cwd(), remote);
  // Git applies the depth only to file URLs, not to plain paths.
  if ((await stat(folder).catch(() => undefined)) !== undefined) return `file://${folder}`;
  return /^[\w-]+\/[\w.-]+$/.test(remote) ? `https://github.com/${remote}.git` : remote;
}

function cloneFailed(remote: string, stderr: string): CliError {
  const lines = stderr.trim().split("\n");
  const reason = lines.find((line) => line.startsWith("fatal:")) ?? lines.at(-1) ?? "";
  // An address may contain a password.
  const shown = remote.replace(/\/\/[^/@]*@/, "//");
  const hidden = reason.replaceAll(/\/\/[^/@\s]*@/g, "//");
  return new CliError("source_failed", `${shown} cannot be cloned: ${hidden}`);
}
