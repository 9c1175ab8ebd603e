import { statSync } from "node:fs";
import { resolve } from "node:path";

import { type NodeRecordsPlace, salvageRecords } from "@ccl/records/node";

import { CliError, messageOf } from "../cli-error.ts";
import { runGit } from "../git.ts";
import { type Finding, finding, findingsResult } from "../output/findings.ts";
import { few, formatCount, formatNumber } from "../output/text.ts";
import { CONFIG_FILE, readPackConfig } from "../pack-shape.ts";
import { isOfOpenAi, openCounter, recordedPrompts } from "../token-counter.ts";
import { describeSkipped, hasRegistry, withRegistry, withScan } from "../project.ts";
import type { CommandResult, Session } from "../session.ts";

/** Checks what the other commands need and would leave out here, or checks one store. Writes nothing except a copy. */
export async function doctor(
  session: Session,
  store: string | undefined,
  { copy }: { copy?: string | undefined },
): Promise<CommandResult> {
  if (store !== undefined) return doctorStore(session, store, copy);
  return findingsResult([
    await gitState(session),
    await settings(session),
    await registryState(session),
    ...(await tokenStates(session)),
    ...(await fileStates(session)),
  ]);
}

async function gitState(session: Session): Promise<Finding> {
  const { code } = await runGit(["-C", session.root, "rev-parse", "--verify", "HEAD"], session);
  if (code === 0) return finding("git", "ok", "a repository: its history ranks files");
  const reason = code === undefined ? "git is not installed" : "no repository with a commit";
  const message = `${reason}: files are ranked without history; --diff, --log and --remote may not work`;
  return finding("git", "hint", message);
}

async function settings(session: Session): Promise<Finding> {
  try {
    const names = Object.keys(await readPackConfig(session)).filter((name) => name !== "$schema");
    const message = names.length === 0 ? `no ${CONFIG_FILE}` : `sets ${names.join(", ")}`;
    return finding("settings", "ok", message);
  } catch (error) {
    return finding("settings", "problem", messageOf(error));
  }
}

async function registryState(session: Session): Promise<Finding> {
  const name = "aliases";
  if (!hasRegistry(session))
    return finding(name, "hint", 'not set up; packs work without it, "ccl init" stores names');
  try {
    const { checks } = await withRegistry(session, false, (registry) => registry.verify(session));
    const stale = checks.filter(({ status }) => status !== "ok").length;
    const message = `${formatCount(checks.length, "name")}, ${stale} of changed or missing files`;
    const hint = stale > 0 ? '; "ccl alias scan" records them' : "";
    return finding(name, stale > 0 ? "hint" : "ok", message + hint);
  } catch (error) {
    return finding(name, "problem", messageOf(error));
  }
}

/** Reports how tokens are counted for each recorded model without a public vocabulary. */
async function tokenStates(session: Session): Promise<Finding[]> {
  const recorded = (await recordedPrompts(session)).flat();
  const models = new Set(recorded.flatMap(({ model = "" }) => (isOfOpenAi(model) ? [] : [model])));
  return Promise.all(
    [...(models.size === 0 ? ["claude"] : models)].sort().map(async (model) => {
      const { name, ratio } = await openCounter({ modelEncoding: "o200k_base", model }, session);
      return finding("tokens", ratio === "assumed" ? "hint" : "ok", `--model ${name}`);
    }),
  );
}

/** Finds files that packs leave out, and files in an encoding other than UTF-8. */
async function fileStates(session: Session): Promise<Finding[]> {
  const name = "files";
  try {
    return await withScan(session, {}, async (registry, report) => {
      const skipped = describeSkipped(report);
      const count = formatCount(report.entries.length, "file");
      const message = skipped === "" ? count : `${count}; ${skipped}`;
      const findings = [finding(name, "ok", message)];
      const foreign: string[] = [];
      for (const { alias } of report.entries) {
        const content = await registry.resolve(alias, session);
        if (content.ok && content.value.encoding !== undefined)
          foreign.push(`${content.value.path} (${content.value.encoding})`);
      }
      const what = `not UTF-8, decoded for packs: ${few(foreign)}`;
      if (foreign.length > 0) findings.push(finding("encoding", "hint", what));
      return findings;
    });
  } catch (error) {
    session.signal.throwIfAborted();
    return [finding(name, "problem", messageOf(error))];
  }
}

/** Reads a whole store of records, reports lost ones, and copies intact ones to `copy` if given. */
async function doctorStore(
  { terminal, signal }: Session,
  store: string,
  copy: string | undefined,
): Promise<CommandResult> {
  const from = resolve(terminal.cwd(), store);
  const isFolder = statSync(from, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined)
    throw new CliError(
      "input_invalid",
      `${from} does not exist. Name a SQLite file or a folder of records.`,
    );
  const placeAt = (path: string): NodeRecordsPlace =>
    isFolder ? { folder: path } : { sqlite: { path } };
  const to =
    copy === undefined ? { sqlite: { path: ":memory:" } } : placeAt(resolve(terminal.cwd(), copy));
  const { lost, ...counts } = await salvageRecords({ from: placeAt(from), to }, { signal });
  const intact = `${formatCount(counts.records, "record")} and ${formatNumber(counts.entries)} entries of logs are intact`;
  return findingsResult(
    [
      finding(
        "store",
        "ok",
        copy === undefined ? `${intact}; --copy copies them` : `${intact}; copied to ${copy}`,
      ),
      ...lost.map((sentence) => finding("lost", "problem", sentence)),
    ],
    { store: from, ...counts, lost },
  );
}
