import { lstat, opendir, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { failure, success, type Issue, type Result } from "../result.ts";
import { throwIfAborted } from "../async/abort.ts";
import { ioError, NodeIoError } from "./node-io-error.ts";
import { systemCode } from "./system-code.ts";

/** A path that lies inside a root. */
interface InsidePath {
  /** Has no symbolic links, up to its deepest existing part. */
  absolutePath: string;
  /** The requested path with `/` between its parts and without `.` parts. `.` for the root itself. */
  relativePath: string;
}

/**
 * Why a path is rejected. All except the last three depend only on the path string and are the same on every system.
 */
type InsidePathIssueCode =
  | "empty_path"
  | "absolute_path"
  | "parent_segment"
  | "invalid_character"
  | "reserved_name"
  | "unusable_path"
  | "symlink_outside"
  | "symlink_unresolved";

const invalid = /[\p{Cc}\p{Surrogate}\\:]/u;
const reserved = /[. ]$|^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:[.:].*)?$/is;
const isReserved = (part: string): boolean => part !== "." && part !== ".." && reserved.test(part);

const textRules: [InsidePathIssueCode, (path: string) => boolean, problem: string][] = [
  ["empty_path", (path) => path === "", "is empty; name a file or folder inside the root."],
  [
    "absolute_path",
    (path) => /^[/\\]|^[A-Za-z]:/.test(path),
    "is absolute; give it relative to the root.",
  ],
  [
    "invalid_character",
    (path) => invalid.test(path),
    'holds a control character, a lone surrogate, "\\" or ":".',
  ],
  [
    "parent_segment",
    (path) => path.split(/[/\\]/).includes(".."),
    'holds ".."; name the target directly.',
  ],
  [
    "reserved_name",
    (path) => path.split(/[/\\]/).some(isReserved),
    "has a part that Windows reserves.",
  ],
];

/**
 * Resolves a relative path inside a root. The path need not exist. Rejects absolute, drive and
 * UNC paths, `..`, backslashes, colons, control characters, Windows device names, parts that end in
 * a dot or space, and symbolic links that lead out of the root, nowhere or in a circle. The root
 * itself may be a link. The result is only valid at the moment of the check. If others can change
 * the tree, open the file with `O_NOFOLLOW` and create no folders by the result.
 * @throws NodeIoError `root_unusable`, `aborted`, or `read_failed` if a folder is not readable
 */
export async function resolveInside(
  root: string,
  path: string,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<Result<InsidePath>> {
  throwIfAborted(options.signal, NodeIoError);
  const broken = textRules.filter(([, isBroken]) => isBroken(path));
  const [first, ...others] = broken.map(([code, , problem]) => refusal(code, path, problem));
  if (first !== undefined) return failure(first, ...others);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const relativePath = parts.join("/") || ".";
  const real = await realRoot(root);
  let absolutePath = real;
  for (const [index, part] of parts.entries()) {
    throwIfAborted(options.signal, NodeIoError);
    const step = await resolveStep(absolutePath, part);
    if (step === undefined)
      return success({ absolutePath: join(absolutePath, ...parts.slice(index)), relativePath });
    if (typeof step !== "string") return failure(refusal(step[0], path, step[1]));
    if (!isInside(real, step))
      return failure(refusal("symlink_outside", path, "passes a link that leaves the root."));
    absolutePath = step;
  }
  return success({ absolutePath, relativePath });
}

/** Returns the real path of an existing part, undefined if it does not exist, or an issue. */
async function resolveStep(
  folder: string,
  part: string,
): Promise<string | [InsidePathIssueCode, string] | undefined> {
  const path = join(folder, part);
  let isLink = false;
  try {
    isLink = (await lstat(path)).isSymbolicLink();
    return isLink ? await realpath(path) : path;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT" && !isLink) return undefined;
    if (isLink && /^(?:ENOENT|ELOOP|ENOTDIR)$/.test(code))
      return ["symlink_unresolved", "passes a link that leads nowhere."];
    if (/^(?:ENOTDIR|ENAMETOOLONG)$/.test(code))
      return ["unusable_path", `cannot exist here (${code}).`];
    throw ioError("read_failed", `Could not look at "${path}"`, error);
  }
}

async function realRoot(root: string): Promise<string> {
  try {
    await opendir(root).then((folder) => folder.close());
    return await realpath(root);
  } catch (error) {
    throw ioError("root_unusable", `The root "${root}" is not a readable folder`, error);
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function refusal(code: InsidePathIssueCode, path: string, problem: string): Issue {
  return { code, path: [], message: `${JSON.stringify(path.slice(0, 200))} ${problem}` };
}
