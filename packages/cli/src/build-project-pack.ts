import {
  type AliasRegistry,
  buildPack,
  type ContextBase,
  type ContextFiles,
  type Pack,
  type PackEvent,
  type PackStyle,
} from "@ccl/aliases";
import { redactSecrets, type TokenCounter } from "@ccl/core";

import { CliError } from "./cli-error.ts";
import { lastFitting } from "./deliver-pack.ts";
import { buildDocumentPack } from "./document-pack.ts";
import { gitHistory, gitInRoot } from "./git.ts";
import { findFocus, resolveAlias } from "./project.ts";
import type { Session } from "./session.ts";
import { type CountedFor, openCounter } from "./token-counter.ts";

/** Flags that determine what a pack contains. */
export interface PackShape extends CountedFor {
  task?: string | undefined;
  budget: number;
  focus?: string[] | undefined;
  profile?: string | undefined;
  base?: boolean | undefined;
  lineNumbers?: boolean | undefined;
  include?: string[] | undefined;
  ignore?: string[] | undefined;
  style?: PackStyle | "document" | undefined;
  /** A file of rules for the model. */
  instructions?: string | undefined;
  /** The text of that file. */
  rules?: string | undefined;
  caps?: Record<string, number> | undefined;
  diff?: boolean | undefined;
  /** True for the default number of commits. */
  log?: number | true | undefined;
}

/** The input of a pack. */
export interface PackSource {
  registry: AliasRegistry;
  /** The project's base. Absent in a folder without `ccl init`. */
  files?: ContextFiles | undefined;
}

/** Default task of a pack. */
const ORIENTATION_TASK =
  "Get to know this project: what it is for, which parts it has, how they work together, and where a change belongs.";

const STEPS: Record<PackEvent["type"], string> = {
  files_read: "Reading files",
  files_outlined: "Outlining files",
  fitted: "Fitting",
};

/** Builds the pack that the flags describe, using everything that the project stores in addition to its aliases. */
export async function buildProjectPack(
  session: Session,
  shape: PackShape,
  { registry, files }: PackSource,
): Promise<{ pack: Pack; counter: TokenCounter }> {
  const { signal, progress } = session;
  const { task = ORIENTATION_TASK, budget, style, profile, caps } = shape;
  const focus = findFocus(registry, shape.focus ?? []);
  if (profile !== undefined) focus.push((await resolveAlias(registry, profile, session)).alias);
  const base = await files?.readBase(session);
  const counter = await openCounter(shape, session);
  if (style === "document") {
    const { version = { accepted: 0, deltas: 0, repairs: 0 } } = base ?? {};
    const documentOptions = { registry, task, budget, counter, version };
    return { pack: await buildDocumentPack(session, documentOptions), counter };
  }
  const pack = await buildPack({
    registry,
    task,
    budget,
    counter,
    style,
    lineNumbers: shape.lineNumbers,
    instructions: shape.rules,
    focus,
    version: base?.version,
    base: shape.base ? requireBase(base).snapshot : undefined,
    attachments: await gitAttachments(shape, { session, budget, counter }),
    // Without a task all files are equally relevant, so a repository that fits is shown whole.
    caps: shape.task === undefined ? { A: budget, P: budget, ...caps } : caps,
    history: gitHistory(session),
    signal,
    onEvent: (event) => progress.update(STEPS[event.type], event.done, event.total),
  });
  return { pack, counter };
}

/** Returns the base of a delta. @throws CliError `not_initialized` */
export function requireBase(base: ContextBase | undefined): ContextBase {
  if (base !== undefined) return base;
  throw new CliError(
    "not_initialized",
    'There is no base yet. "ccl pack --accept" makes the current files the base.',
  );
}

/** Maximum share of the budget for each git section. */
const SHARE = 0.3;
const DEFAULT_COMMITS = 20;

/**
 * Reads the changes of the working tree and the latest commits, each within its share of the budget, with secrets
 * masked.
 */
async function gitAttachments(
  { diff, log }: PackShape,
  { session, budget, counter }: { session: Session; budget: number; counter: TokenCounter },
): Promise<{ title: string; text: string }[]> {
  const attachments: { title: string; text: string }[] = [];
  const add = (title: string, text: string): void => {
    const masked = redactSecrets(text.trimEnd()).text;
    if (masked !== "") attachments.push({ title, text: cutLines(masked, budget * SHARE, counter) });
  };
  const refusal = "--diff and --log need a git repository with a commit";
  const git = async (args: string[]): Promise<string> =>
    String(await gitInRoot(session, ["-c", "core.quotePath=off", ...args], { refusal }));
  if (diff) {
    const tracked = ["diff", "HEAD", "--no-ext-diff", "--no-color", "--relative", "--", "."];
    const untracked = ["ls-files", "--others", "--exclude-standard", "--", "."];
    const names = (await git(untracked)).trimEnd();
    const added = names === "" ? "" : names.replaceAll(/^/gm, "new file: ");
    add("diff", `${await git(tracked)}${added}`);
  }
  if (log !== undefined) {
    const count = `--max-count=${log === true ? DEFAULT_COMMITS : log}`;
    const format = ["--date=short", "--format=%x00%h %ad %s", "--name-only", "--relative"];
    const text = await git(["log", count, ...format, "--", "."]);
    const commits = text.split("\0").map((commit) => commit.trim().replace(/\n\n+/, "\n"));
    add("log", commits.filter(Boolean).join("\n\n"));
  }
  return attachments;
}

/** Keeps as many whole lines as fit, and states how many it left out. */
function cutLines(text: string, maxTokens: number, counter: TokenCounter): string {
  if (counter.count(text) <= maxTokens) return text;
  const lines = text.split("\n");
  const end = lastFitting(lines, 0, { maxTokens: maxTokens - 10, counter, title: "" });
  return [...lines.slice(0, end), `... +${lines.length - end} lines`].join("\n");
}
