import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { runGit } from "./git.ts";
import { packFiles } from "./project.ts";
import type { Session } from "./session.ts";

/** Thrown if git fails or cannot be used. The message says why. */
class GitFailure extends Error {}

/**
 * Stores the folder's files as git would commit them, so that a patch can start at this base. If that fails, stores the
 * reason. Only reads the user's repository, and writes missing objects below the folder of context files.
 */
export async function keepBaseTree(session: Session, baseId: string): Promise<void> {
  const { folder, objects, tree } = placesOf(session);
  await rm(folder, { recursive: true, force: true });
  await mkdir(objects, { recursive: true });
  await writeFile(join(folder, ".gitignore"), "*\n");
  const written = await orWhyNot(withIndex(session, objects, (git) => writeTree(session, git)));
  await writeFile(tree, `${baseId} ${written.text ?? written.whyNot}\n`);
}

const FILE_START = /^(?=diff --git )/m;

/** The output of git, or why there is none. */
interface GitText {
  text?: string;
  whyNot?: string;
}

/** Returns the changes since the base as a patch for `git apply`. */
export async function patchSinceBase(session: Session, baseId: string): Promise<GitText> {
  const { objects: baseObjects, tree } = placesOf(session);
  const known = (await readFile(tree, "utf8").catch(() => "")).trim();
  if (!known.startsWith(`${baseId} `))
    return { whyNot: `no files were stored for ${baseId}; run "ccl pack --accept" again` };
  const base = known.slice(baseId.length + 1);
  if (!/^[0-9a-f]{40,64}$/.test(base)) return { whyNot: base };
  const objects = await mkdtemp(join(tmpdir(), "ccl-tree-"));
  const patch = withIndex(session, objects, async (git) => {
    const next = await writeTree(session, git);
    const show = ["diff-tree", "-p", "-M", "-l0", "--binary", "--relative", base, next, "--"];
    show.push(...(await filesOf(session)));
    const text = await git(show, baseObjects);
    if (!text.includes("\uFFFD")) return text;
    // Files that are not UTF-8 become binary patches, since decoding them as text would change their bytes.
    const attributes = join(objects, "attributes");
    await writeFile(attributes, "* -diff\n");
    const bytes = await git(["-c", `core.attributesFile=${attributes}`, ...show], baseObjects);
    const binary = bytes.split(FILE_START);
    const parts = text.split(FILE_START).map((part) => {
      const head = part.slice(0, part.indexOf("\n") + 1);
      return part.includes("\uFFFD")
        ? binary.find((candidate) => candidate.startsWith(head))
        : part;
    });
    return parts.includes(undefined) ? bytes : parts.join("");
  });
  try {
    return await orWhyNot(patch);
  } finally {
    await rm(objects, { recursive: true, force: true });
  }
}

async function orWhyNot(text: Promise<string>): Promise<GitText> {
  try {
    return { text: await text };
  } catch (error) {
    if (error instanceof GitFailure) return { whyNot: error.message };
    throw error;
  }
}

function placesOf({ root, directory }: Session): Record<"folder" | "objects" | "tree", string> {
  const folder = join(root, directory, "ctx", "tree");
  return { folder, objects: join(folder, "objects"), tree: join(folder, "id") };
}

async function filesOf(session: Session): Promise<string[]> {
  const packs = (await packFiles(session)).map((path) => `:(exclude,literal)${path}`);
  return [".", `:(exclude)${session.directory}`, ...packs];
}

/** Runs git. Reads other object folders only if they are passed, since `git add` touches the objects that it finds. */
type Git = (args: string[], objects?: string) => Promise<string>;

async function writeTree(session: Session, git: Git): Promise<string> {
  await git(["add", "--all", "--", ...(await filesOf(session))]);
  return (await git(["write-tree", "--missing-ok"])).trim();
}

/**
 * Runs git on a copy of the user's index, which knows ignored files that are tracked and which files are unchanged.
 * Without a repository, uses a temporary one. Throws GitFailure.
 */
async function withIndex(
  session: Session,
  objects: string,
  work: (git: Git) => Promise<string>,
): Promise<string> {
  const { root, signal, terminal } = session;
  const flags = ["--path-format=absolute", "--git-path", "index", "--git-path", "objects"];
  const { code, stdout } = await runGit(["-C", root, "rev-parse", ...flags], session);
  if (code === undefined) throw new GitFailure("git is not installed");
  const [index, userObjects] = code === 0 ? String(stdout).trim().split("\n") : [];
  const folder = await mkdtemp(join(tmpdir(), "ccl-index-"));
  const copy = join(folder, "index");
  const env: NodeJS.ProcessEnv = {
    ...terminal.env,
    GIT_INDEX_FILE: copy,
    GIT_OBJECT_DIRECTORY: objects,
  };
  const git: Git = async (args, others) => {
    const readable = others === undefined ? [] : [others, userObjects ?? others];
    const found = { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: readable.join(delimiter) };
    const scope = { signal, terminal: { ...terminal, env: found } };
    const run = await runGit(["-C", root, ...args], scope);
    if (run.code === 0) return String(run.stdout);
    throw new GitFailure(`git ${args[0]} failed: ${String(run.stderr).trim().split("\n")[0]}`);
  };
  try {
    if (index === undefined) {
      await git(["init", "--quiet", "--bare", join(folder, "git")]);
      Object.assign(env, { GIT_DIR: join(folder, "git"), GIT_WORK_TREE: root });
      // Keep the index's time: git uses it to find files that may have changed in the second of the write.
    } else await cp(index, copy, { preserveTimestamps: true }).catch(() => undefined);
    return await work(git);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
