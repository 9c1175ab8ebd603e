import { existsSync } from "node:fs";
import { basename, join } from "node:path";

import { numberAt } from "@ccl/core/json";
import type { GatewayView, InspectorSource, OverviewView } from "@ccl/inspector";
import { type PromptStores, promptViews } from "@ccl/inspector/stores";

import type { UiFlags } from "./ui-flags.ts";
import { agentFolders, findLogs, readAgentLog } from "../commands/audit.ts";
import { askProxy, isGateway, originOf } from "../commands/status.ts";
import type { Session } from "../session.ts";
import { catalogFolder } from "../catalog/read-catalog.ts";
import { stateFolder } from "../artifact-folder.ts";
import { catalogViews } from "./catalog-views.ts";
import { packView } from "./pack-view.ts";
import { planViews } from "./plan-views.ts";
import { isAddress, runsFile, runViews } from "./run-views.ts";

/** All views of a project's folder and of the data that the user's tools store. Only reads. */
export function inspectorSource(given: Session, flags: UiFlags): InspectorSource {
  const session = { ...given, isReadOnly: true };
  const { root, terminal } = session;
  const requests = join(flags.state ?? stateFolder(terminal), "requests");
  return {
    overview: () => overview(session, flags),
    ...promptViews({
      requests,
      records: flags.records ?? join(root, ".ccl", "records"),
      agents: agentLogs(session, flags.agents),
      live: (isEmpty) => liveGateway(terminal.env, flags, isEmpty ? requests : undefined),
    }),
    ...packView(session),
    ...runViews(session, flags),
    ...catalogViews(session),
    ...planViews(session),
  };
}

async function overview(session: Session, flags: UiFlags): Promise<OverviewView> {
  const { root } = session;
  const runs = runsFile(session, flags);
  const missing: OverviewView["missing"] = [];
  if (!isAddress(runs) && !existsSync(runs))
    missing.push({
      page: "runs",
      why: `There is no ${runs}. Name the file or the database of your stores: ccl ui --runs runs.db`,
    });
  const why = 'The project has no catalog. Make one: "ccl catalog init", or "ccl catalog import".';
  if (!catalogFolder(session).exists())
    missing.push({ page: "catalog", why }, { page: "query", why });
  return { project: basename(root), root, missing };
}

const maxLogs = 60;

/** The newest logs of this user's coding agents, or of a folder. */
function agentLogs(session: Session, folder: string | undefined): PromptStores["agents"] {
  const folders = folder === undefined ? agentFolders(session) : [folder];
  return async () => {
    const found = await findLogs(folders);
    const logs = found.slice(0, maxLogs).map((file) => ({
      id: basename(file.path).replace(/\.jsonl?$/, ""),
      changedMs: file.changedMs,
      transcripts: async () => (await readAgentLog(file)).transcripts,
    }));
    return { logs, left: Math.max(0, found.length - maxLogs) };
  };
}

/** The statistics of the gateway that `--gateway` names. Undefined without the flag. */
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
      problem: "It wants a token: name the variable that holds it, ccl ui --token-env <name>",
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
