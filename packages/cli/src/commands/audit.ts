import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import {
  auditTranscript,
  readTranscripts,
  type SessionAudit,
  sumAudits,
  type Transcript,
} from "@ccl/gateway/audit";

import { CliError } from "../cli-error.ts";
import { auditText } from "../output/audit-report.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import type { Session } from "../session.ts";
import { claudeOf, codexOf, homeOf } from "../user-places.ts";

/** Flags of `ccl audit`. */
export interface AuditFlags {
  all?: boolean | undefined;
  price?: number | undefined;
}

/** A file or folder in which an agent stores sessions. */
export interface AgentLog {
  path: string;
  changedMs: number;
  sizeBytes: number;
}

/** After this time the audit reports on the newest sessions only, unless the user asks for all. */
const enoughMs = 25_000;
/** Larger files are skipped. */
export const maxLogBytes: number = 200 * 2 ** 20;

/** Reports what the prompts of coding agents were spent on, from their transcripts or those in a folder. */
export async function audit(
  session: Session,
  folder: string | undefined,
  flags: AuditFlags,
): Promise<CommandResult> {
  const folders = folder === undefined ? agentFolders(session) : [resolve(session.root, folder)];
  const logs = (await Promise.all(folders.map(findLogs))).flat();
  logs.sort((a, b) => b.changedMs - a.changedMs || (a.path < b.path ? -1 : 1));
  if (logs.length === 0)
    throw new CliError(
      "usage",
      `No transcripts in ${folders.join(", ")}. Name a folder of .jsonl or .json files: ccl audit <folder>`,
    );
  const startedAt = performance.now();
  const audits: SessionAudit[] = [];
  const unread: string[] = [];
  let files = 0;
  for (const log of logs) {
    if (flags.all !== true && audits.length > 0 && performance.now() - startedAt > enoughMs) break;
    session.signal.throwIfAborted();
    session.progress.update("Auditing", files, logs.length);
    files += 1;
    const found = log.sizeBytes > maxLogBytes ? [] : await auditFile(log.path, flags);
    if (found.length === 0) unread.push(log.path);
    audits.push(...found);
    // Lets an interrupt through between two files.
    await new Promise((done) => setImmediate(done));
  }
  const report = sumAudits(audits);
  const left = logs.length - files;
  return {
    document: { folders, files, left, unread, ...report },
    text: (style) => auditText(report, style),
    note: ({ colours }) => {
      const rest =
        left === 0 ? "" : `; the newest first, --all for ${formatCount(left, "more file")}`;
      const skipped =
        unread.length === 0 ? "" : `; ${formatCount(unread.length, "file")} held no transcript`;
      return `${colours.dim(`${formatCount(audits.length, "session")} in ${formatCount(files, "file")}${rest}${skipped}. Nothing was sent or written.`)}\n`;
    },
  };
}

/** Reads the sessions of a log. */
export async function readAgentLog(path: string): Promise<Transcript[]> {
  const text = await (path.endsWith(sessionFolder) ? readOpencode(path) : readFile(path, "utf8"));
  return readTranscripts(text).filter(({ items }) => items.length > 1);
}

async function auditFile(path: string, flags: AuditFlags): Promise<SessionAudit[]> {
  const transcripts = await readAgentLog(path);
  return transcripts.map((one) => auditTranscript(one, { usdPerMillion: flags.price }));
}

/** Where Claude Code, Codex and opencode store their sessions. */
export function agentFolders({ terminal: { env } }: Session): string[] {
  const home = homeOf(env);
  const data = env["XDG_DATA_HOME"] ?? join(home, ".local", "share");
  return [
    join(claudeOf(env), "projects"),
    join(codexOf(env), "sessions"),
    join(data, "opencode", "storage", "message"),
  ];
}

/** Marks a folder of opencode, which stores each message in its own file. */
const sessionFolder = "\0opencode";

/** Finds the logs in a folder, unordered. Empty if there is no such folder. */
export async function findLogs(folder: string): Promise<AgentLog[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const logs: AgentLog[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const isSession = entry.isDirectory() && entry.name.startsWith("ses_");
    const isLog = entry.isFile() && /\.jsonl?$/.test(entry.name) && !entry.name.startsWith("msg_");
    if (!isSession && !isLog) continue;
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) continue;
    const { mtimeMs: changedMs, size: sizeBytes } = found;
    logs.push({ path: isSession ? `${path}${sessionFolder}` : path, changedMs, sizeBytes });
  }
  return logs;
}

/** Reads a session of opencode in its export format. */
async function readOpencode(path: string): Promise<string> {
  const folder = path.slice(0, -sessionFolder.length);
  const parts = join(folder, "..", "..", "part");
  const messages: unknown[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const own = join(parts, basename(name, ".json"));
    const names = (await readdir(own).catch(() => [])).sort();
    const texts = await Promise.all(names.map((part) => readFile(join(own, part), "utf8")));
    const info: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
    messages.push({ info, parts: texts.map((text): unknown => JSON.parse(text)) });
  }
  return JSON.stringify({ messages });
}
