import { compress } from "@ccl/compress";
import { estimatedCounter } from "@ccl/core";
import type { AuditReport } from "@ccl/gateway/audit";

import { buildProjectPack } from "../build-project-pack.ts";
import { CliError } from "../cli-error.ts";
import { runGit } from "../git.ts";
import { dollars, percent } from "../output/audit-report.ts";
import { formatCount, formatNumber, printable } from "../output/text.ts";
import type { Style } from "../output/style.ts";
import { renderTable } from "../output/table.ts";
import { withScan } from "../project.ts";
import type { CommandResult, Session } from "../session.ts";
import { withRemote } from "../with-remote.ts";
import { agentFolders, auditLogs, findLogs } from "./audit.ts";

const enoughMs = 4_000;
const maxFiles = 20;
const budget = 8_000;
const shownFiles = 10;

/** Shows on one screen what ccl would do with the user's agents and with this folder. Writes nothing there. */
export async function look(session: Session): Promise<CommandResult> {
  const agents = await lookAtAgents(session);
  const commit = await lookAtCommit(session);
  return {
    document: { agents, commit },
    text(style) {
      const sections = [agents && agentText(agents, style), commit && commitText(commit, style)];
      return sections.filter(Boolean).join("\n") || demoText(style);
    },
    note: ({ colours }) =>
      colours.dim("Nothing was sent or written. ccl --help lists all commands.\n"),
  };
}

async function lookAtAgents(session: Session): Promise<AuditReport | undefined> {
  const logs = await findLogs(agentFolders(session));
  const { report } = await auditLogs(session, logs.slice(0, maxFiles), { enoughMs });
  return report.sessions === 0 ? undefined : report;
}

function agentText(report: AuditReport, { colours }: Style): string {
  const { sessions, directUsd, safeUsd, fullUsd, unpriced } = report;
  const net = (usd: number): string => `${dollars(usd)} (${percent(usd / directUsd - 1)})`;
  const money =
    directUsd === 0
      ? `No price is known for ${formatCount(unpriced, "model")}.`
      : `Their input cost ${dollars(directUsd)} by estimate. safe, which loses nothing, would have cost ${net(safeUsd)}, full ${net(fullUsd)}.`;
  return `${colours.bold(`The newest ${formatCount(sessions, "session")} of your coding agents`)}
${money}
  ccl audit           what filled their prompts
  ccl on <client>     claude, codex, opencode, cursor or vscode; ccl off <client> undoes it
`;
}

/** A commit, and how a pack of the folder before it shows the files that it changed. */
interface CommitPack {
  subject: string;
  tokens: number;
  files: number;
  changed: { path: string; level: string; rank?: number | undefined }[];
}

/** Packs the newest commit's parent in a temporary clone, so that neither files nor history reveal the answer. */
async function lookAtCommit(session: Session): Promise<CommitPack | undefined> {
  const git = async (root: string, ...args: string[]): Promise<string> => {
    const { code, stdout } = await runGit(
      ["-C", root, "-c", "core.quotePath=off", ...args],
      session,
    );
    return code === 0 ? String(stdout).trim() : "";
  };
  const root = await git(session.root, "rev-parse", "--show-toplevel");
  const [commit = "", task = ""] = (
    await git(session.root, "log", "-1", "--no-merges", "--format=%H%x00%s")
  ).split("\0");
  const edited = ["diff-tree", "-r", "--name-only", "--diff-filter=MD", `${commit}~1`, commit];
  const paths = commit === "" ? "" : await git(root, ...edited);
  if (paths === "") return undefined;
  try {
    return await withRemote(session, { remote: root }, async (clone) => {
      await git(clone.root, "checkout", "--quiet", "--detach", `${commit}~1`);
      return withScan(clone, {}, async (registry) => {
        const shape = { task, budget, modelEncoding: "o200k_base" } as const;
        const { pack } = await buildProjectPack(clone, shape, { registry });
        const shown = new Map(pack.entries.map((entry) => [entry.path, entry]));
        const changed = paths.split("\n").map((path) => {
          const { level = "not shown", rank } = shown.get(path) ?? {};
          return { path, level, rank };
        });
        const files = pack.entries.length + pack.omitted.length;
        return { subject: task, tokens: pack.tokens, files, changed };
      });
    });
  } catch (error) {
    // If git cannot copy the repository, this part is left out.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function commitText({ subject, tokens, files, changed }: CommitPack, style: Style): string {
  const more = changed.length - shownFiles;
  const rows = changed
    .slice(0, shownFiles)
    .map(({ path, level, rank }) => [path, level, rank ?? ""]);
  return `${style.colours.bold(`The newest commit: ${printable(subject)}`)}
A pack for this subject, made from the ${formatCount(files, "file")} before the commit, takes ${formatNumber(tokens)} tokens. The commit changed:
${renderTable(["file", "in the pack", { right: "rank" }], rows, style)}${more > 0 ? `and ${formatCount(more, "more file")}\n` : ""}  ccl pack --task "what is to be done" --budget ${budget}
`;
}

function demoText({ colours }: Style): string {
  const log = Array.from({ length: 400 }, (_, at) =>
    at === 271
      ? "12:04:31 ERROR worker 5: job 271 failed: disk quota exceeded"
      : `12:0${Math.floor(at / 60)}:${at % 60} INFO worker ${at % 7}: job ${at} took ${(at * 37) % 90} ms`,
  ).join("\n");
  const { text, tokens } = compress(log, { budget: 150, query: "why did a job fail?" });
  return `${colours.bold("No commit to pack and no sessions of coding agents were found. A log, shortened for a model:")}
${formatCount(400, "line")}, ${formatNumber(estimatedCounter.count(log))} tokens, shown in ${formatNumber(tokens)}:
${text.replaceAll(/^/gm, "  | ")}
  npm test 2>&1 | ccl shrink "why does it fail?"
  ccl pack -C <folder> --task "what is to be done"
`;
}
