import {
  type AliasCheck,
  type AliasRegistry,
  createContextFiles,
  createGetAliasTool,
} from "@ccl/aliases";

import { requireValid } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { formatCount, lineOf, printable } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import {
  describeSkipped,
  resolveAlias,
  scanWithProgress,
  withFiles,
  withProject,
} from "../project.ts";
import type { CommandResult, Session } from "../session.ts";

/** Gives one file an alias that replaces its existing ones. `path` is relative to the root. */
export function aliasAdd(session: Session, alias: string, path: string): Promise<CommandResult> {
  const { signal } = session;
  return withProject(session, true, async (registry) => {
    const before = registry.list();
    const entry = requireValid(await registry.add(alias, path, session));
    const was = before.flatMap((old) =>
      old.path === entry.path && old.alias !== alias ? [old.alias] : [],
    );
    for (const old of was) await forget(registry, old, signal);
    const note = was.length === 0 ? "" : ` was ${was.join(", ")}`;
    return {
      document: { ...entry, was },
      text: `${entry.alias}@${entry.sha8} ${printable(entry.path)}${note}\n`,
    };
  });
}

/** Lists the project's aliases. */
export async function aliasList(session: Session): Promise<CommandResult> {
  const aliases = await withProject(session, false, async (registry) => registry.list());
  const rows = aliases.map(({ alias, sha8, path }) => [alias, sha8, path]);
  return { document: { aliases }, text: tableOf(["alias", "sha8", "path"], rows) };
}

/** Compares the registry with the disk. A stale alias fails the check. */
export async function aliasVerify(session: Session): Promise<CommandResult> {
  const { checks, isClean } = await withProject(session, true, (registry) =>
    registry.verify(session),
  );
  const document = { isClean, checks };
  if (isClean)
    return {
      document,
      text: ({ colours }) => `${colours.green("ok")}: ${formatCount(checks.length, "alias")}\n`,
    };
  const stale = checks.filter((check) => check.status !== "ok");
  const rows = stale.map((check) => [check.status, check.alias, check.path, detailOf(check)]);
  return {
    document,
    text: tableOf(["status", "alias", "path", "detail"], rows),
    note: `${stale.length} of ${checks.length} aliases are stale. "ccl alias scan" records the current files.\n`,
    exitCode: EXIT_CODES.checkFailed,
  };
}

function detailOf({ status, sha8, currentSha8, movedTo }: AliasCheck): string {
  if (status === "changed") return `${sha8} is now ${currentSha8}`;
  return status === "moved" ? `now at ${movedTo}` : "";
}

/** Updates the registry from the disk. */
export async function aliasScan(session: Session): Promise<CommandResult> {
  const report = await withProject(session, true, (registry) =>
    scanWithProgress(registry, session),
  );
  const { entries, added, updated, moved, removed, skipped } = report;
  const signs = { "+": added, "~": updated, ">": moved, "-": removed };
  const changes = Object.entries(signs).flatMap(([sign, aliases]) =>
    aliases.map((alias) => `${sign} ${alias}\n`),
  );
  return {
    document: { total: entries.length, added, updated, moved, removed, skipped },
    text: changes.join(""),
    note: `${formatCount(entries.length, "alias")}: ${added.length} added, ${updated.length} updated, ${moved.length} moved, ${removed.length} removed\n${lineOf(describeSkipped(report))}`,
  };
}

/** Removes an alias and its card, but not the file. */
export async function aliasRemove(session: Session, alias: string): Promise<CommandResult> {
  await withProject(session, true, async (registry) => {
    if (!(await forget(registry, alias, session.signal)))
      await resolveAlias(registry, alias, session);
  });
  return { document: { alias, isRemoved: true }, text: `removed ${alias}\n` };
}

async function forget(
  registry: AliasRegistry,
  alias: string,
  signal: AbortSignal,
): Promise<boolean> {
  await createContextFiles(registry).removeCard(alias, { signal });
  return registry.remove(alias);
}

/** No limit. The tool's limit protects a model's context window, but a person gets the whole file. */
const UNBOUNDED = { maxTokens: Number.MAX_SAFE_INTEGER };

/** Prints a file, or lines of it, through the tool that models call, so that both see the same text. */
export async function expand(
  session: Session,
  alias: string,
  flags: { lines?: string | undefined },
): Promise<CommandResult> {
  const answer = await withFiles(session, {}, ({ registry }) =>
    createGetAliasTool(registry, UNBOUNDED).execute({ alias, ...flags }, session),
  );
  const document = requireValid(answer);
  const { text } = document;
  // A pipe gets the exact bytes. A terminal needs a line feed before the next shell prompt.
  return {
    document,
    text: ({ isTerminal }) => (isTerminal && !text.endsWith("\n") ? `${text}\n` : text),
  };
}
