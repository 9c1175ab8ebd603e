import { existsSync } from "node:fs";
import { basename, join } from "node:path";

import type { InspectorSource, OverviewView } from "@ccl/inspector";
import { promptViews } from "@ccl/inspector/stores";

import type { UiFlags } from "./ui-flags.ts";
import type { Session } from "../session.ts";
import { catalogFolder } from "../catalog/read-catalog.ts";
import { stateFolder } from "../artifact-folder.ts";
import { agentLogs } from "./agent-logs.ts";
import { catalogViews } from "./catalog-views.ts";
import { liveGateway } from "./live-gateway.ts";
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
