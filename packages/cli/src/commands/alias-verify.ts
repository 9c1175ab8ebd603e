import type { AliasCheck } from "@ccl/aliases";

import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { renderTable } from "../output/table.ts";
import { withProject } from "../project.ts";
import type { Session } from "../session.ts";

/** Compares the registry with the disk; a stale alias fails the check. */
export async function aliasVerify(session: Session): Promise<CommandResult> {
  const { signal } = session;
  const { checks, isClean } = await withProject(session, { persist: true }, (registry) =>
    registry.verify({ signal }),
  );
  const stale = checks.filter((check) => check.status !== "ok");
  const rows = stale.map((check) => [check.status, check.alias, check.path, detailOf(check)]);
  return {
    document: { isClean, checks },
    text: (style) =>
      isClean
        ? `${style.colours.green("ok")}: ${formatCount(checks.length, "alias")}\n`
        : renderTable(
            [{ title: "status" }, { title: "alias" }, { title: "path" }, { title: "detail" }],
            rows,
            style,
          ),
    note: () =>
      isClean
        ? ""
        : `${stale.length} of ${checks.length} aliases are stale. "ccl alias scan" records what is there now.\n`,
    exitCode: isClean ? EXIT_CODES.ok : EXIT_CODES.checkFailed,
  };
}

function detailOf({ status, sha8, currentSha8, movedTo }: AliasCheck): string {
  if (status === "changed") return `${sha8} is now ${currentSha8}`;
  return status === "moved" ? `now at ${movedTo}` : "";
}
