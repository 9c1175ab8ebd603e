import { redactSecrets, type TokenCounter } from "@ccl/core";

import { CliError } from "./cli-error.ts";
import { runGit } from "./git-output.ts";
import type { Session } from "./session.ts";
import { lastFitting } from "./split-pack.ts";

/** Which texts of git stand in a pack. */
export interface GitFlags {
  diff?: boolean | undefined;
  /** True for the default number of commits. */
  log?: number | true | undefined;
}

/** The part of the budget that each of them may take. */
const SHARE = 0.3;
const DEFAULT_COMMITS = 20;

/** The changes of the working tree and the latest commits, each within its share of the budget; secrets are masked. */
export async function gitAttachments(
  { diff, log }: GitFlags,
  { session, budget, counter }: { session: Session; budget: number; counter: TokenCounter },
): Promise<{ title: string; text: string }[]> {
  const attachments: { title: string; text: string }[] = [];
  const add = (title: string, text: string): void => {
    const masked = redactSecrets(text.trimEnd()).text;
    if (masked !== "") attachments.push({ title, text: cutLines(masked, budget * SHARE, counter) });
  };
  const inRoot = ["-C", session.root, "-c", "core.quotePath=off"];
  if (diff === true) {
    const tracked = ["diff", "HEAD", "--no-ext-diff", "--no-color", "--relative", "--", "."];
    const untracked = ["ls-files", "--others", "--exclude-standard", "--", "."];
    const names = (await git([...inRoot, ...untracked], session)).trimEnd();
    const added = names === "" ? "" : names.replaceAll(/^/gm, "new file: ");
    add("diff", `${await git([...inRoot, ...tracked], session)}${added}`);
  }
  if (log !== undefined) {
    const count = `--max-count=${log === true ? DEFAULT_COMMITS : log}`;
    const format = ["--date=short", "--format=%x00%h %ad %s", "--name-only", "--relative"];
    const text = await git([...inRoot, "log", count, ...format, "--", "."], session);
    const commits = text.split("\0").map((commit) => commit.trim().replace(/\n\n+/, "\n"));
    add("log", commits.filter(Boolean).join("\n\n"));
  }
  return attachments;
}

async function git(args: string[], session: Session): Promise<string> {
  const { code, stdout, stderr } = await runGit(args, session);
  if (code === 0) return stdout;
  const reason = code === undefined ? "git is not installed" : stderr.trim().split("\n")[0];
  throw new CliError("usage", `--diff and --log need a git repository with a commit: ${reason}.`);
}

/** As many whole lines as fit, and how many are missing. */
function cutLines(text: string, maxTokens: number, counter: TokenCounter): string {
  if (counter.count(text) <= maxTokens) return text;
  const lines = text.split("\n");
  const end = lastFitting(lines, 0, { maxTokens: maxTokens - 10, counter, title: "" });
  return [...lines.slice(0, end), `... +${lines.length - end} lines`].join("\n");
}
