import { basename } from "node:path";

import type { AgentLog, PromptStores } from "@ccl/inspector/stores";

import { agentFolders, findLogs, readAgentLog } from "../commands/audit.ts";
import type { Session } from "../session.ts";

const maxLogs = 60;

/** The newest logs of this user's coding agents, or of a folder. Reads a log again if it changed. */
export function agentLogs(session: Session, folder: string | undefined): PromptStores["agents"] {
  const folders = folder === undefined ? agentFolders(session) : [folder];
  const read = new Map<string, AgentLog>();
  return async (signal) => {
    const found = await findLogs(folders);
    const logs: AgentLog[] = [];
    for (const file of found.slice(0, maxLogs)) {
      const { path, changedMs } = file;
      signal.throwIfAborted();
      let log = read.get(path);
      if (log?.changedMs !== changedMs) {
        const id = basename(path).replace(/\.jsonl?$/, "");
        const { transcripts } = await readAgentLog(file);
        log = { id, changedMs, transcripts };
        read.set(path, log);
      }
      logs.push(log);
    }
    return { logs, left: Math.max(0, found.length - maxLogs) };
  };
}
