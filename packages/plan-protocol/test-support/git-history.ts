import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** A file that a commit changes; undefined where it is not there. */
export interface FileChange {
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
  /** git's own patch of it, from its `---` line on; undefined where the content stays. */
  patch: string | undefined;
  modeAfter: string;
}

/** One commit and what it makes of its parent's tree. */
export interface CommitChange {
  id: string;
  parent: string;
  changes: FileChange[];
}

/** The commits of a repository but the first, each against its first parent, oldest first; only ever read. */
export interface GitHistory {
  commits: string[];
  change(id: string): CommitChange;
  /** Writes all files of a commit into a folder. */
  extract(id: string, folder: string): void;
  /** Hash of the content, as git counts it, by path. Symbolic links and submodules are left out. */
  tree(id: string): Map<string, string>;
}

const REGULAR = /^100/;

/** The history that leads to `HEAD`, or why there is none to look at. */
export function openGitHistory(
  folder: string,
  { limit }: { limit: number },
): GitHistory | { whyNot: string } {
  const git = (args: string[], input?: string): Buffer =>
    execFileSync("git", ["-c", "core.quotepath=off", ...args], {
      cwd: folder,
      maxBuffer: 1 << 30,
      stdio: ["pipe", "pipe", "pipe"],
      ...(input === undefined ? {} : { input }),
    });
  try {
    if (git(["rev-parse", "--is-shallow-repository"]).toString().trim() === "true")
      return { whyNot: "the clone is shallow" };
  } catch {
    return { whyNot: "there is no repository" };
  }
  const listed = git(["rev-list", "--parents", "--topo-order", "--reverse", "HEAD"])
    .toString()
    .trim()
    .split("\n");
  const commits = listed
    .map((line) => line.split(" "))
    .filter((ids) => ids.length > 1)
    .map(([id = ""]) => id);

  return {
    commits: commits.slice(-limit),
    change(id) {
      const parent = git(["rev-parse", `${id}^`])
        .toString()
        .trim();
      const raw = git([
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        parent,
        id,
      ]).toString();
      const patches = patchesByPath(
        git([
          "diff-tree",
          "-r",
          "-p",
          "--no-renames",
          "--no-color",
          "--text",
          parent,
          id,
        ]).toString(),
      );
      const fields = raw.split("\0");
      const rows = Array.from({ length: Math.floor(fields.length / 2) }, (_, index) => {
        const [modeBefore = "", modeAfter = "", blobBefore = "", blobAfter = ""] = (
          fields[2 * index] ?? ""
        )
          .slice(1)
          .split(" ");
        const path = fields[2 * index + 1] ?? "";
        return { path, modeBefore, modeAfter, blobBefore, blobAfter };
      });
      const blobs = readBlobs(
        rows.flatMap(({ modeBefore, modeAfter, blobBefore, blobAfter }) => [
          ...(REGULAR.test(modeBefore) ? [blobBefore] : []),
          ...(REGULAR.test(modeAfter) ? [blobAfter] : []),
        ]),
        (input) => git(["cat-file", "--batch"], input),
      );
      const changes = rows.map(
        ({ path, modeBefore, modeAfter, blobBefore, blobAfter }): FileChange => {
          const before = REGULAR.test(modeBefore) ? blobs.get(blobBefore) : undefined;
          const after = REGULAR.test(modeAfter) ? blobs.get(blobAfter) : undefined;
          return { path, before, after, patch: patches.get(path), modeAfter };
        },
      );
      return { id, parent, changes };
    },
    extract(id, target) {
      mkdirSync(target, { recursive: true });
      execFileSync("tar", ["-x", "-C", target], { input: git(["archive", "--format=tar", id]) });
    },
    tree(id) {
      const entries = git(["ls-tree", "-r", "-z", id]).toString().split("\0").filter(Boolean);
      const files = entries.map((entry) => /^(\d+) \w+ (\w+)\t(.*)$/s.exec(entry) ?? []);
      return new Map(
        files
          .filter(([, mode = ""]) => REGULAR.test(mode))
          .map(([, , blob = "", path = ""]) => [path, blob]),
      );
    },
  };
}

/** Contents by their hash; `ask` gives git's answer of a head line and a content for each. */
function readBlobs(ids: readonly string[], ask: (input: string) => Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const answer = ids.length === 0 ? Buffer.alloc(0) : ask(`${ids.join("\n")}\n`);
  for (let at = 0; at < answer.length;) {
    const feed = answer.indexOf(10, at);
    const [id = "", , size = "0"] = answer.subarray(at, feed).toString().split(" ");
    found.set(id, answer.subarray(feed + 1, feed + 1 + Number(size)));
    at = feed + Number(size) + 2;
  }
  return found;
}

/** No line of a patch begins so but the first of a file's: content stands behind a space, a plus or a minus. */
function patchesByPath(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(/^diff --git .*\n/m).slice(1)) {
    const start = part.search(/^--- /m);
    const header = start < 0 ? undefined : /^--- (.*)\n\+\+\+ (.*)\n/.exec(part.slice(start));
    if (start < 0 || header === null || header === undefined) continue;
    // git ends a name with a tab where it has a space.
    const [, before = "", after = ""] = header.map((name) => name.replace(/\t$/, ""));
    found.set((after === "/dev/null" ? before : after).replace(/^[ab]\//, ""), part.slice(start));
  }
  return found;
}
