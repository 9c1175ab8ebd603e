import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { systemCode } from "@ccl/core/node";
import {
  type AuditReport,
  auditTranscript,
  readTranscripts,
  type ReadTranscripts,
  type SessionAudit,
  sumAudits,
} from "@ccl/gateway/audit";

import { usageError } from "../cli-error.ts";
import { auditText } from "../output/audit-report.ts";
import { few, formatCount, printable } from "../output/text.ts";
import type { CommandResult, Session } from "../session.ts";
import { claudeOf, codexOf, homeOf } from "../user-places.ts";

/** Flags of `ccl audit`. */
interface AuditFlags {
  all?: boolean | undefined;
  price?: number | undefined;
}

/** A file in which an agent stores sessions. */
export interface AgentLog {
  path: string;
  changedMs: number;
  sizeBytes: number;
}

/** Time after which the audit covers only the newest sessions, unless the user asks for all. */
const enoughMs = 25_000;
/** Maximum size of a log. Larger files are skipped. */
const maxLogBytes = 200 * 2 ** 20;

/** Reports what coding agents' prompts were spent on, from their transcripts or those in a folder. */
export async function audit(
  session: Session,
  folder: string | undefined,
  flags: AuditFlags,
): Promise<CommandResult> {
  const folders = folder === undefined ? agentFolders(session) : [resolve(session.root, folder)];
  const logs = await findLogs(folders);
  if (logs.length === 0)
    throw usageError(
      `No transcripts in ${folders.join(", ")}. Name a file or folder: ccl audit <folder>`,
    );
  const limits = { enoughMs: flags.all ? Infinity : enoughMs, price: flags.price };
  const { report, files, unread } = await auditLogs(session, logs, limits);
  const left = logs.length - files;
  return {
    document: { folders, files, left, unread, ...report },
    text: (style) => auditText(report, style),
    note: ({ colours }) => {
      const rest =
        left === 0 ? "" : `; newest first, --all reads ${formatCount(left, "more file")}`;
      const refused = few(unread.map(({ path, reason }) => `${path} (${reason})`));
      const skipped = refused === "" ? "" : `. Not read, or only in part: ${printable(refused)}`;
      return `${colours.dim(`${formatCount(report.sessions, "session")} in ${formatCount(files, "file")}${rest}${skipped}. Nothing was sent or written.`)}\n`;
    },
  };
}

/** Audits logs in order, until the time is up and one or more sessions were read. */
export async function auditLogs(
  session: Session,
  logs: readonly AgentLog[],
  { enoughMs, price }: { enoughMs: number; price?: number | undefined },
): Promise<{ report: AuditReport; files: number; unread: { path: string; reason: string }[] }> {
  const startedAt = performance.now();
  const audits: SessionAudit[] = [];
  const unread: { path: string; reason: string }[] = [];
  let files = 0;
  for (const log of logs) {
    if (audits.length > 0 && performance.now() - startedAt > enoughMs) break;
    session.signal.throwIfAborted();
    session.progress.update("Auditing", files, logs.length);
    files += 1;
    const found = await readAgentLog(log);
    if (found.unread !== undefined) unread.push({ path: log.path, reason: found.unread });
    for (const transcript of found.transcripts) audits.push(auditTranscript(transcript, price));
    // Lets an interrupt through between two files.
    await new Promise((done) => setImmediate(done));
  }
  return { report: sumAudits(audits), files, unread };
}

/** Reads the sessions of a log, or returns why it cannot. */
export async function readAgentLog({ path, sizeBytes }: AgentLog): Promise<ReadTranscripts> {
  const refused = (unread: string): ReadTranscripts => ({ transcripts: [], unread });
  if (path.endsWith(databaseName))
    return refused("a database; pass the output of `opencode export <session>` instead");
  if (sizeBytes > maxLogBytes) return refused(`larger than ${maxLogBytes} bytes`);
  try {
    return readTranscripts(await readFile(path, "utf8"));
  } catch (error) {
    return refused(systemCode(error) ?? "unreadable");
  }
}

/** Returns where Claude Code, Codex and opencode store their sessions. */
export function agentFolders({ terminal: { env } }: Session): string[] {
  const home = homeOf(env);
  const data = env["XDG_DATA_HOME"] ?? join(home, ".local", "share");
  return [
    join(claudeOf(env), "projects"),
    join(codexOf(env), "sessions"),
    join(data, "opencode", databaseName),
  ];
}

/** File in which opencode stores sessions. */
const databaseName = "opencode.db";

/** Finds the logs in the folders, or the files with these names. Newest first. */
export async function findLogs(folders: readonly string[]): Promise<AgentLog[]> {
  const logs: AgentLog[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
    const paths = entries.flatMap(({ parentPath, name }) =>
      /\.jsonl?$/.test(name) ? join(parentPath, name) : [],
    );
    for (const path of entries.length === 0 ? [folder] : paths) {
      const found = await stat(path).catch(() => undefined);
      if (found?.isFile()) logs.push({ path, changedMs: found.mtimeMs, sizeBytes: found.size });
    }
  }
  return logs.sort((a, b) => b.changedMs - a.changedMs || (a.path < b.path ? -1 : 1));
}
