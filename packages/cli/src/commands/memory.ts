import { join } from "node:path";

import { parseJson } from "@ccl/core/json";
import { createMemoryFiles, type MemoryFiles } from "@ccl/plan-protocol/node";

import { inputError } from "../cli-error.ts";
import { printable } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import type { CommandResult, Session } from "../session.ts";
import { configOf } from "../user-places.ts";

/** Shows all stored values, and entries of the files that are invalid. */
export async function memoryShow(session: Session): Promise<CommandResult> {
  const files = memoryOf(session);
  const { memory, rejected } = await files.inspect(session);
  const rows = Object.entries(memory).flatMap(([layer, fields]) =>
    Object.entries(fields).map(([name, value]) => [`${layer}.${name}`, JSON.stringify(value)]),
  );
  const { userFile, projectFile } = files;
  return {
    document: { memory, rejected, userFile, projectFile },
    text: tableOf(["key", "value"], rows, ""),
    note: [
      ...(rows.length === 0 ? ["Nothing is remembered."] : []),
      ...rejected.map(({ message }) => printable(message)),
      `you: ${printable(userFile)}`,
      `project: ${printable(projectFile)}`,
    ]
      .map((line) => `${line}\n`)
      .join(""),
  };
}

/** Stores one value. */
export async function memorySet(
  session: Session,
  key: string,
  value: string,
): Promise<CommandResult> {
  const { memory, rejected } = await memoryOf(session).patch({ [key]: valueOf(value) }, session);
  if (rejected.length > 0) throw inputError(rejected);
  return {
    isCommitted: true,
    document: { memory },
    note: `Remembered ${key}.\n`,
  };
}

/** Parses lists and numbers as JSON. Everything else is a string. */
function valueOf(text: string): unknown {
  return /^\[.*\]$|^\d$/s.test(text) ? (parseJson(text) ?? text) : text;
}

/** Opens the memory of the user, which all projects share, and of the project. */
export function memoryOf({ root, terminal }: Session): MemoryFiles {
  const { env, platform } = terminal;
  const config = (platform === "win32" && env["APPDATA"]) || configOf(env);
  return createMemoryFiles({ userDirectory: join(config, "ccl"), root });
}
