import { openMemoryFiles } from "@ccl/plan-protocol/node";
import { parseJson } from "@ccl/core/json";

import { inputError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { userDirectory } from "../plan/user-directory.ts";
import type { Session } from "../session.ts";

/** Remembers one value. */
export async function memorySet(
  session: Session,
  key: string,
  value: string,
): Promise<CommandResult> {
  const { signal, root } = session;
  const files = await openMemoryFiles({ userDirectory: userDirectory(session), root }, { signal });
  const { memory, rejected } = await files.patch({ [key]: valueOf(value) }, { signal });
  if (rejected.length > 0) throw inputError(rejected);
  return {
    isCommitted: true,
    document: { memory },
    note: () => `Remembered ${key}.\n`,
  };
}

/** Lists and numbers as JSON; all else is text as it stands. */
function valueOf(text: string): unknown {
  return /^\[.*\]$|^\d$/s.test(text) ? (parseJson(text) ?? text) : text;
}
