import { quote } from "../registry/alias-name.ts";
import {
  corruptContext,
  parseContextBase,
  renderContextBase,
  type ContextBase,
} from "./context-base.ts";
import type { ContextFolder } from "./context-folder.ts";

/** The folder operations needed to read and write the base. */
export type BaseFolder = Pick<ContextFolder, "pathOf" | "read" | "write" | "remove">;

const BASE = "ctx/base.json";
const BASE_ID = "ctx/base.sha";

/**
 * Reads the accepted base, or returns undefined if there is none. base.json is authoritative.
 * base.sha repeats its id for other tools. It may be missing, but must not differ.
 * @throws AliasesError `context_corrupt`, `io_failed`, `aborted`
 */
export async function readBase(
  folder: BaseFolder,
  signal: AbortSignal | undefined,
): Promise<ContextBase | undefined> {
  const text = await folder.read(BASE, signal);
  if (text === undefined) return undefined;
  const base = parseContextBase(text, folder.pathOf(BASE));
  const id = (await folder.read(BASE_ID, signal))?.trim();
  if (id === undefined || id === base.snapshot.id) return base;
  // Another process may have accepted a pack between the two reads.
  if ((await folder.read(BASE, signal)) !== text) return await readBase(folder, signal);
  throw corruptContext(
    folder.pathOf(BASE_ID),
    `it says ${quote(id)}, but ${folder.pathOf(BASE)} is ${base.snapshot.id}`,
  );
}

/**
 * Writes both files. Removes base.sha first and writes it last, so that it is either missing or
 * correct if the process is killed.
 */
export async function writeBase(
  folder: BaseFolder,
  base: ContextBase,
  signal: AbortSignal | undefined,
): Promise<void> {
  await folder.remove(BASE_ID, signal);
  await folder.write(BASE, renderContextBase(base), undefined);
  await folder.write(BASE_ID, `${base.snapshot.id}\n`, undefined);
}
