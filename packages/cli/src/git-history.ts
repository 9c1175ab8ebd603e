import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import type { FileHistory } from "@ccl/aliases";

import type { Session } from "./session.ts";

const MAX_COMMITS = 1500;

/** The commits of the repository that the root stands in; none where there is no git or no repository. */
export function gitHistory({ root, signal, terminal }: Session): FileHistory {
  return {
    async *commits() {
      const args = ["-C", root, "-c", "core.quotePath=off", "log", "--no-merges", "--no-renames"];
      const format = ["--relative", "--name-only", "--format=%x00%s", `--max-count=${MAX_COMMITS}`];
      const child = spawn("git", [...args, ...format], {
        env: { ...process.env, ...terminal.env, LC_ALL: "C" },
        signal,
        stdio: ["ignore", "pipe", "ignore"],
        windowsHide: true,
      });
      const ended = new Promise<void>((settle) => {
        child.on("error", () => settle());
        child.on("close", () => settle());
      });
      let commit: { subject: string; files: string[] } | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith("\0")) {
          if (commit !== undefined) yield commit;
          commit = { subject: line.slice(1), files: [] };
        } else if (line !== "") commit?.files.push(line);
      }
      await ended;
      signal.throwIfAborted();
      if (commit !== undefined) yield commit;
    },
  };
}
