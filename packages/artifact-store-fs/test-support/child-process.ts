import { requireBuilt as requireFile, runScript } from "@ccl/core/testing/node";

const built = new URL("../dist/index.js", import.meta.url);

/** @throws where the package has not been built, which a child process needs */
export function requireBuilt(): void {
  requireFile(built);
}

/** What every child script begins with, in addition to `fs` and `say`. */
const header = `
  import { createHash } from "node:crypto";
  const { openFsArtifactStore } = await import(process.env.CCL_BUILT);
  const root = process.env.CCL_ROOT;
  const seed = Number(process.env.CCL_SEED);
  const durability = process.env.CCL_DURABILITY;
  const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");
  let state = seed * 2654435761 % 4294967296;
  const random = (below) => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return Math.floor(state / 4294967296 * below);
  };
`;

/** Runs a script as a process of its own and gives each line that it says; `onLine` may kill it. */
export function runChild(
  script: string,
  { root, seed, durability = "full", onLine }: ChildOptions,
): Promise<unknown[]> {
  const env = {
    CCL_BUILT: built.href,
    CCL_ROOT: root,
    CCL_SEED: String(seed),
    CCL_DURABILITY: durability,
  };
  return runScript(header + script, { env, onLine });
}

interface ChildOptions {
  root: string;
  seed: number;
  durability?: string;
  onLine?: (value: unknown, kill: () => void) => void;
}
