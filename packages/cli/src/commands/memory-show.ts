import { openMemoryFiles } from "@ccl/plan-protocol/node";

import type { CommandResult } from "../output/command-result.ts";
import { printable } from "../output/printable.ts";
import { renderTable } from "../output/table.ts";
import { userDirectory } from "../plan/user-directory.ts";
import type { Session } from "../session.ts";

/** All that is remembered, with what in the files can't be used. */
export async function memoryShow(session: Session): Promise<CommandResult> {
  const { signal, root } = session;
  const files = await openMemoryFiles({ userDirectory: userDirectory(session), root }, { signal });
  const { memory, rejected } = await files.inspect({ signal });
  const rows = Object.entries(memory).flatMap(([layer, fields]) =>
    Object.entries(fields).map(([name, value]) => [
      `${layer}.${name}`,
      printable(JSON.stringify(value)),
    ]),
  );
  const { userFile, projectFile } = files;
  return {
    document: { memory, rejected, userFile, projectFile },
    text: (style) =>
      rows.length === 0 ? "" : renderTable([{ title: "key" }, { title: "value" }], rows, style),
    note: () =>
      [
        ...(rows.length === 0 ? ["Nothing is remembered."] : []),
        ...rejected.map(({ message }) => printable(message)),
        `you: ${printable(userFile)}`,
        `project: ${printable(projectFile)}`,
      ]
        .map((line) => `${line}\n`)
        .join(""),
  };
}
