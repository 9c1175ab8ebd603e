import { AliasesError } from "../aliases-error.ts";
import type { Card } from "../card/card.ts";
import type { Snapshot } from "../delta/snapshot.ts";
import { takeSnapshot } from "../delta/take-snapshot.ts";
import type { Pack, PackVersion } from "../pack/pack.ts";
import { quote, parseAlias } from "../registry/alias-name.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import {
  type ContextBase,
  corruptContext,
  parseContextBase,
  renderContextBase,
} from "./context-base.ts";
import { createContextFolder, type ContextFolder } from "./context-folder.ts";

/** Options of calls on context files. */
interface ContextFilesOptions {
  signal?: AbortSignal | undefined;
}

/**
 * The files stored with a registry: the last pack, the cards, and the accepted base with its
 * counters. Returned paths are relative to the root and use forward slashes. Every call may throw
 * io_failed and aborted. Calls that write throw io_failed if the registry was opened with `persist:
 * false`.
 */
export interface ContextFiles {
  /**
   * Reads the last accepted base. Returns undefined before the first `accept`.
   * @throws AliasesError `context_corrupt`
   */
  readBase(options?: ContextFilesOptions): Promise<ContextBase | undefined>;
  /**
   * Stores the pack's state as the new base. Sets A+1, B=0, C=0.
   * @throws AliasesError `context_conflict` if a file of the pack changed after the pack was built,
   * `context_corrupt`, `registry_locked`
   */
  accept(pack: Pick<Pack, "entries">, options?: ContextFilesOptions): Promise<ContextBase>;
  /**
   * Writes ctx/delta.patch and returns its path. Increments B unless the file already contains the
   * same patch.
   */
  writeDelta(patch: string, options?: ContextFilesOptions): Promise<string>;
  /** Counts a repair of a failed result by incrementing C. Does nothing before the first `accept`. */
  countRepair(options?: ContextFilesOptions): Promise<void>;
  /** Writes prompt.pack and returns its path. */
  writePack(pack: Pick<Pack, "text">, options?: ContextFilesOptions): Promise<string>;
  /** Writes cards/<alias>.md and returns its path. */
  writeCard(
    alias: string,
    card: Pick<Card, "text">,
    options?: ContextFilesOptions,
  ): Promise<string>;
  /** Returns true if the card existed. */
  removeCard(alias: string, options?: ContextFilesOptions): Promise<boolean>;
}

const LOCK = "aliases.lock";
const DELTA = "ctx/delta.patch";
const PACK = "prompt.pack";

/** Accesses the context files of a registry's folder. Creating the object does no I/O. */
export function createContextFiles(registry: AliasRegistry): ContextFiles {
  const folder = createContextFolder(registry);
  const changeVersion = async (
    change: (version: PackVersion) => PackVersion,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const base = await readBase(folder, signal);
    if (base !== undefined)
      await writeBase(folder, { ...base, version: change(base.version) }, signal);
  };
  return {
    readBase: ({ signal } = {}) => readBase(folder, signal),
    accept: (pack, { signal } = {}) =>
      folder.withLock(LOCK, signal, async () => {
        const previous = await readBase(folder, signal);
        const snapshot = await snapshotOf(pack, registry, signal);
        const base = {
          snapshot,
          version: { accepted: (previous?.version.accepted ?? 0) + 1, deltas: 0, repairs: 0 },
        };
        await writeBase(folder, base, signal);
        return base;
      }),
    writeDelta: (patch, { signal } = {}) =>
      folder.withLock(LOCK, signal, async () => {
        if ((await folder.read(DELTA, signal)) !== patch) {
          await folder.write(DELTA, patch, signal);
          await changeVersion((version) => ({ ...version, deltas: version.deltas + 1 }), signal);
        }
        return folder.pathOf(DELTA);
      }),
    countRepair: ({ signal } = {}) =>
      folder.withLock(LOCK, signal, () =>
        changeVersion((version) => ({ ...version, repairs: version.repairs + 1 }), signal),
      ),
    writePack: ({ text }, { signal } = {}) => writeNamed(folder, { name: PACK, text }, signal),
    writeCard: async (alias, { text }, { signal } = {}) =>
      await writeNamed(folder, { name: cardName(alias), text: `${text}\n` }, signal),
    removeCard: async (alias, { signal } = {}) => await folder.remove(cardName(alias), signal),
  };
}

async function snapshotOf(
  pack: Pick<Pack, "entries">,
  registry: AliasRegistry,
  signal: AbortSignal | undefined,
): Promise<Snapshot> {
  const texts = pack.entries
    .filter((entry) => entry.level !== "reference")
    .map((entry) => entry.alias);
  const snapshot = await takeSnapshot({ registry, texts, signal });
  const changed = pack.entries.filter(
    ({ alias, sha8 }) => snapshot.entries[alias]?.sha256.startsWith(sha8) !== true,
  );
  if (changed.length === 0) return snapshot;
  const names = changed.slice(0, 5).map((entry) => entry.alias);
  const more = changed.length > names.length ? ` and ${changed.length - names.length} more` : "";
  const message = `${names.join(", ")}${more} changed after the pack was built. Build it anew and accept that.`;
  throw new AliasesError("context_conflict", message);
}

function cardName(alias: string): string {
  const name = cardFileName(alias);
  if (name !== undefined) return `cards/${name}`;
  throw new AliasesError("io_failed", `${quote(alias)} is not an alias, so it has no card file.`);
}

async function writeNamed(
  folder: ContextFolder,
  file: { name: string; text: string },
  signal: AbortSignal | undefined,
): Promise<string> {
  await folder.write(file.name, file.text, signal);
  return folder.pathOf(file.name);
}

/** Device names reserved by Windows, with any extension. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)\./;

/**
 * Returns the file name of an alias's card, which is the same on every system. Returns undefined if
 * the text is not an alias.
 */
export function cardFileName(alias: string): string | undefined {
  const parsed = parseAlias(alias);
  if (!parsed.ok || parsed.value.sha8 !== undefined) return undefined;
  return DEVICE.test(alias) ? `_${alias}.md` : `${alias}.md`;
}

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
