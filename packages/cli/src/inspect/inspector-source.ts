import { existsSync } from "node:fs";
import { basename, join } from "node:path";

import { numberAt } from "@ccl/core/json";
import type {
  GatewayView,
  InspectorSource,
  OverviewView,
  PackView,
  ViewParameters,
} from "@ccl/inspector";
import { type PromptStores, promptViews } from "@ccl/inspector/stores";

import { agentFolders, findLogs, readAgentLog } from "../commands/audit.ts";
import { askProxy, isGateway, originOf } from "../commands/status.ts";
import { buildProjectPack } from "../build-project-pack.ts";
import { applySettings } from "../pack-shape.ts";
import { withFiles } from "../project.ts";
import type { Session } from "../session.ts";
import { catalogFolder } from "../catalog/read-catalog.ts";
import { isPostgres } from "../catalog/source-draft.ts";
import { stateFolder } from "../artifact-folder.ts";
import { catalogViews } from "./catalog-views.ts";
import { planViews } from "./plan-views.ts";
import { runViews } from "./run-views.ts";

/** Flags of `ccl ui`. */
export interface UiFlags {
  /** The file to write instead of serving. */
  export?: string | undefined;
  port?: number | undefined;
  state?: string | undefined;
  agents?: string | undefined;
  /** The folder that `recordTo` of @ccl/inspector writes to. */
  records?: string | undefined;
  runs?: string | undefined;
  gateway?: string | undefined;
  /** The variable that holds the gateway's token. */
  tokenEnv?: string | undefined;
}

/** Creates all views of a project's folder and of the data that the user's tools store. Read-only. */
export function inspectorSource(given: Session, flags: UiFlags): InspectorSource {
  const session = { ...given, isReadOnly: true };
  const { root, terminal } = session;
  const requests = join(flags.state ?? stateFolder(terminal), "requests");
  const runs = flags.runs ?? join(root, session.directory, "operations.db");
  return {
    overview: () => overview(session, runs),
    ...promptViews({
      requests,
      records: flags.records ?? join(root, ".ccl", "records"),
      agents: agentLogs(session, flags.agents),
      live: (isEmpty) => liveGateway(terminal.env, flags, isEmpty ? requests : undefined),
    }),
    pack: (parameters, { signal }) => packView({ ...session, signal }, parameters),
    ...runViews(session, runs),
    ...catalogViews(session),
    ...planViews(session),
  };
}

async function overview(session: Session, runs: string): Promise<OverviewView> {
  const { root } = session;
  const missing: OverviewView["missing"] = [];
  if (!isPostgres(runs) && !existsSync(runs))
    missing.push({
      page: "runs",
      why: `${runs} does not exist. Name the file or the database of your stores: ccl ui --runs runs.db`,
    });
  const why =
    'The project has no catalog. Create one with "ccl catalog init" or "ccl catalog import".';
  if (!catalogFolder(session).exists())
    missing.push({ page: "catalog", why }, { page: "query", why });
  return { project: basename(root), root, missing };
}

const maxLogs = 60;

/** Finds the newest logs of this user's coding agents, or of a folder. */
function agentLogs(session: Session, folder: string | undefined): PromptStores["agents"] {
  const folders = folder === undefined ? agentFolders(session) : [folder];
  return async () => {
    const found = await findLogs(folders);
    const logs = found.slice(0, maxLogs).map((file) => ({
      id: basename(file.path).replace(/\.jsonl?$/, ""),
      changedMs: file.changedMs,
      transcripts: async () => (await readAgentLog(file)).transcripts,
    }));
    return { logs, omitted: Math.max(0, found.length - maxLogs) };
  };
}

/** Asks the gateway that `--gateway` names for its statistics. Undefined without the flag. */
async function liveGateway(
  env: NodeJS.ProcessEnv,
  { gateway, tokenEnv }: UiFlags,
  emptyLog: string | undefined,
): Promise<GatewayView["live"]> {
  if (gateway === undefined) return undefined;
  const url = originOf(gateway);
  if (!isGateway(await askProxy(`${url}/health`)))
    return { url, problem: `No gateway answers at ${url}.` };
  const token = env[tokenEnv ?? ""];
  const stats = await askProxy(`${url}/stats`, token);
  if (!isStats(stats))
    return {
      url,
      problem: "It needs a token: name its variable with ccl ui --token-env <name>",
    };
  const problem =
    emptyLog !== undefined && stats.requests > 0
      ? `Its requests are not in ${emptyLog}. Name the folder that it was started with: ccl ui --state <folder>`
      : undefined;
  return { url, problem, figures: stats };
}

const names = ["requests", "changed", "upstreamErrors", "clientsGone", "usd", "directUsd"];

function isStats(
  value: unknown,
): value is NonNullable<NonNullable<GatewayView["live"]>["figures"]> {
  return names.every((name) => numberAt(value, name) !== undefined);
}

/** Shows what `ccl pack` would show for a task, and why each file has its rank. Writes nothing. */
async function packView(
  session: Session,
  { task = "", budget = "" }: ViewParameters,
): Promise<PackView> {
  const shape = await applySettings(session, {
    task: task === "" ? undefined : task,
    budget: Number(budget) > 0 ? Math.floor(Number(budget)) : undefined,
    modelEncoding: "o200k_base",
  });
  const { pack } = await withFiles(session, shape, ({ registry }) =>
    buildProjectPack(session, shape, { registry }),
  );
  const { tokens, isMatched, unmatched, entries, omitted, text } = pack;
  const files = [...entries, ...omitted];
  return { task, budget: shape.budget, tokens, isMatched, unmatched, files, text };
}
