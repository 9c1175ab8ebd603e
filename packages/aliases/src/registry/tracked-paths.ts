import { execFile } from "node:child_process";
import { promisify } from "node:util";

const LIST = ["-c", "core.fsmonitor=false", "ls-files", "-z", "-c", "-i", "--exclude-standard"];

/**
 * Returns the files below the root that git tracks although an ignore file lists them, and their
 * folders with a trailing slash. Returns an empty set if git cannot be run.
 */
export async function trackedIgnoredPaths(root: string): Promise<Set<string>> {
  const options = { maxBuffer: Number.POSITIVE_INFINITY, windowsHide: true };
  const git = promisify(execFile)("git", ["-C", root, ...LIST], options);
  const { stdout } = await git.catch(() => ({ stdout: "" }));
  const paths = new Set<string>();
  for (const path of stdout.split("\0").filter(Boolean)) {
    paths.add(path);
    for (const { index } of path.matchAll(/\//g)) paths.add(path.slice(0, index + 1));
  }
  return paths;
}
