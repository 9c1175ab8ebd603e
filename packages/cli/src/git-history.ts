import type { FileHistory } from "@ccl/aliases";

import { runGit } from "./git-output.ts";
import type { Session } from "./session.ts";

const MAX_COMMITS = 1500;

/** The commits of the repository that contains the root. Empty without git or a repository. */
export function gitHistory(session: Session): FileHistory {
  return {
    async *commits() {
      const args = ["-C", session.root, "-c", "core.quotePath=off", "log", "--no-merges"];
      const format = ["--no-renames", "--relative", "--name-only", "--format=%x00%s"];
      const { stdout } = await runGit([...args, ...format, `--max-count=${MAX_COMMITS}`], session);
      for (const commit of stdout.toString("utf8").split("\0").slice(1)) {
        const [subject = "", ...files] = commit.split("\n").filter((line) => line !== "");
        yield { subject, files };
      }
    },
  };
}
