import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { throwIfAborted } from "@ccl/core/async";
import { systemCode, writeFileDurable } from "@ccl/core/node";

import { AliasesError } from "../aliases-error.ts";
import { toIoError } from "./io-error.ts";
import {
  emptyRegistry,
  parseRegistry,
  renderRegistry,
  type RegistryDocument,
  type RegistryRecord,
} from "./registry-file.ts";
import { withRegistryLock } from "./registry-lock.ts";

/** The records by alias, as this process last read or wrote them. */
export type RegistryRecords = ReadonlyMap<string, RegistryRecord>;

/** The registry file, and its records as known to this process. */
interface RegistryStore {
  readonly records: RegistryRecords;
  /** True if the file exists. Until it does, nothing else is written. */
  readonly hasFile: boolean;
  /**
   * Replaces the records. Also replaces the file if the store may write.
   * @throws AliasesError `registry_conflict`, `registry_locked`, `io_failed`
   */
  replace(records: RegistryRecords, signal: AbortSignal | undefined): Promise<void>;
}

/** Where the store's file is, and whether it may be written. */
interface RegistryStoreOptions {
  /** Absolute path. */
  directory: string;
  isPersistent: boolean;
}

/** The default folder. It belongs to this package, so it gets a .gitignore and a cache. */
export const OWN_DIRECTORY = ".ccl";

/**
 * Reads the registry file if it exists.
 * @throws AliasesError `registry_corrupt`, `registry_version_unsupported`, `io_failed`
 */
export function openRegistryStore(options: RegistryStoreOptions): RegistryStore {
  const { directory, isPersistent } = options;
  const file = join(directory, "aliases.json");
  let text = readText(file);
  let document: RegistryDocument = text === undefined ? emptyRegistry() : parseRegistry(text, file);

  async function write(next: RegistryDocument, signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal, AliasesError);
    prepareDirectory(directory);
    await withRegistryLock(join(directory, "aliases.lock"), { signal }, async () => {
      if (readText(file) !== text) throw conflict(file);
      const nextText = renderRegistry(next);
      await writeFileDurable(file, nextText).catch((error: unknown) => {
        throw toIoError(error, `write ${file}`);
      });
      text = nextText;
    });
  }

  return {
    get records() {
      return document.records;
    },
    get hasFile() {
      return text !== undefined;
    },
    async replace(records, signal) {
      const next = { ...document, records: new Map(records) };
      if (isPersistent) await write(next, signal);
      document = { ...next, keys: [...new Set([...document.keys, ...records.keys()])] };
    },
  };
}

function readText(file: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (/^(?:ENOENT|ENOTDIR)$/.test(systemCode(error) ?? "")) return undefined;
    throw toIoError(error, `read ${file}`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AliasesError(
      "registry_corrupt",
      `${file} is not UTF-8 text. Restore it, or delete it.`,
      {
        cause: error,
      },
    );
  }
}

function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    if (basename(directory) !== OWN_DIRECTORY) return;
    writeFileSync(join(directory, ".gitignore"), "cache/\naliases.lock*\n.*.tmp\n", { flag: "wx" });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw toIoError(error, `prepare the folder ${directory}`);
  }
}

function conflict(file: string): AliasesError {
  return new AliasesError(
    "registry_conflict",
    `${file} was changed by another program since it was read; nothing was written. Open the registry again and repeat the change.`,
  );
}
