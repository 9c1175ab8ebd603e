import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

import { failure, success, type Issue, type Result } from "../result.ts";

/** A path that was found to stay inside its root. */
export interface InsidePath {
  /** The root's links resolved, those of the path not. */
  absolutePath: string;
  /** With forward slashes, without `.` segments. */
  relativePath: string;
}

const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/**
 * Joins a relative path from an untrusted source to a root. No `..`, link, drive, device or stream leads out of it, on
 * any platform alike; the file itself need not exist. What is checked can change before it is used: open the file
 * without following links where others may write into the root.
 * Issues: path_empty, path_invalid, path_outside_root.
 */
export async function resolveInside(root: string, path: string): Promise<Result<InsidePath>> {
  const issue = checkSpelling(path);
  if (issue !== undefined) return failure(issue);
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0) return failure(newIssue("path_empty", path, "names the root itself; name a file in it"));
  const realRoot = await realpath(root);
  const absolutePath = join(realRoot, ...segments);
  if (!(await staysInside(realRoot, absolutePath))) {
    return failure(newIssue("path_outside_root", path, "leads out of the root through a link"));
  }
  return success({ absolutePath, relativePath: segments.join("/") });
}

function checkSpelling(path: string): Issue | undefined {
  if (path === "") return newIssue("path_empty", path, "is empty");
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\\:]/.test(path)) {
    return newIssue("path_invalid", path, "has a control character, a backslash or a colon");
  }
  if (path.startsWith("/") || isAbsolute(path)) return newIssue("path_outside_root", path, "is absolute");
  for (const segment of path.split("/")) {
    if (segment === "..") return newIssue("path_outside_root", path, 'has a ".." segment');
    // Windows drops trailing dots and spaces: such a name would be another one there.
    if (segment !== "." && /[. ]$/.test(segment)) return newIssue("path_invalid", path, "has a segment that ends in a dot or a space");
    if (DEVICE_NAME.test(segment)) return newIssue("path_invalid", path, "names a device");
  }
  return undefined;
}

function newIssue(code: string, path: string, what: string): Issue {
  return { code, path: [], message: `The path ${JSON.stringify(path.slice(0, 200))} ${what}.` };
}

/** Follows the links of the deepest part of the path that exists. */
async function staysInside(realRoot: string, absolutePath: string): Promise<boolean> {
  for (let part = absolutePath; part.length > realRoot.length; part = dirname(part)) {
    const real = await realpath(part).catch((error: unknown) => error);
    if (typeof real === "string") return isInside(realRoot, real);
    if (!isMissing(real) || (await isLink(part))) return false;
  }
  return true;
}

function isInside(realRoot: string, real: string): boolean {
  const way = relative(realRoot, real);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** A link that leads nowhere yet may lead out of the root once its target is made. */
async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}
