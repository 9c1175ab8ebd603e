import { failure, success, type Issue, type Result } from "@ccl/core";

import type { AliasContent } from "./alias-registry.ts";
import { parseAlias, quote } from "./alias-name.ts";
import { readBytes } from "./file-hasher.ts";
import { locateFile, type NoFile, type TreeFile } from "./locate-file.ts";
import { decodeText, hashContent, rawSha8 } from "./hash-content.ts";
import { nearestNames } from "./nearest-names.ts";
import type { RegistryRecords } from "./registry-store.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Reads the current file for `alias` or `alias@sha8`. Issues: see `AliasRegistry.resolve`. */
export function readAlias(
  root: string,
  records: RegistryRecords,
  reference: string,
): Result<AliasContent> {
  const parsed = parseAlias(reference);
  const [alias = ""] = reference.split("@");
  const record = records.get(alias);
  if (record === undefined) return failure(unknownAlias(alias, [...records.keys()]));
  if (!parsed.ok) return parsed;
  const file = findFile(root, record.path);
  if (!file.ok) return file;
  const { path, realPath, stamp } = file.value;
  if (stamp.sizeBytes > MAX_FILE_BYTES) {
    const message = `${alias} has ${stamp.sizeBytes} bytes; at most ${MAX_FILE_BYTES} are read at once.`;
    return failure({ code: "file_too_large", path: ["path"], message });
  }
  let bytes: Buffer;
  try {
    bytes = readBytes(realPath);
  } catch {
    return noFile(path, "unreadable");
  }
  const { sha256, isBinary } = hashContent(bytes);
  const sha8 = sha256.slice(0, 8);
  const expected = parsed.value.sha8;
  if (expected !== undefined && expected !== sha8 && expected !== rawSha8(bytes)) {
    return failure({
      code: "alias_stale",
      path: ["sha8"],
      message: `${alias} has changed: it is ${alias}@${sha8} now, not @${expected}.`,
    });
  }
  const content = { alias, path, sha8, sha256, sizeBytes: bytes.length };
  return success({ ...content, ...(isBinary ? { text: undefined } : decodeText(bytes)) });
}

/** Finds a file inside the root. Issues: path_not_found, path_outside_root, path_not_a_file, path_unreadable. */
export function findFile(root: string, path: string): Result<TreeFile> {
  const found = locateFile(root, path);
  return typeof found === "string" ? noFile(path, found) : success(found);
}

const WHY_NOT = {
  missing: { code: "path_not_found", what: "does not exist. Give a path relative to the root." },
  outside_root: {
    code: "path_outside_root",
    what: "leads out of the root. Only files inside it can be named.",
  },
  not_a_file: {
    code: "path_not_a_file",
    what: "is not a regular file. Name a file, not a folder.",
  },
  unreadable: { code: "path_unreadable", what: "cannot be read. Look at its permissions." },
};

function noFile(path: string, why: NoFile): Result<never> {
  const { code, what } = WHY_NOT[why];
  return failure({ code, path: ["path"], message: `${quote(path)} ${what}` });
}

function unknownAlias(alias: string, names: readonly string[]): Issue {
  const nearest = nearestNames(alias, names);
  const hint = nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`;
  return {
    code: "alias_unknown",
    path: ["alias"],
    message: `There is no alias ${quote(alias)}.${hint}`,
  };
}
