import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const built = new URL("../dist/index.js", import.meta.url);

/** @throws where the package has not been built, which a child process needs */
export function requireBuilt(): void {
  if (!existsSync(built))
    throw new Error("packages/artifact-store-fs/dist is missing: run the build first.");
}

/** What every child script begins with: `store` is open, `say` prints a line at once. */
const header = `
  import { createHash } from "node:crypto";
  import * as fs from "node:fs";
  const { openFsArtifactStore } = await import(process.env.CCL_BUILT);
  const root = process.env.CCL_ROOT;
  const seed = Number(process.env.CCL_SEED);
  const durability = process.env.CCL_DURABILITY;
  const say = (value) => fs.writeSync(1, JSON.stringify(value) + "\\n");
  const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");
  let state = seed * 2654435761 % 4294967296;
  const random = (below) => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return Math.floor(state / 4294967296 * below);
  };
`;

/** Runs a script as a process of its own and gives each line that it says; `onLine` may kill it. */
export async function runChild(
  script: string,
  { root, seed, durability = "full", onLine }: ChildOptions,
): Promise<unknown[]> {
  const env = {
    ...process.env,
    CCL_BUILT: built.href,
    CCL_ROOT: root,
    CCL_SEED: String(seed),
    CCL_DURABILITY: durability,
  };
  const child = spawn(process.execPath, ["--input-type=module", "-e", header + script], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const lines: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const value: unknown = JSON.parse(line);
    lines.push(value);
    onLine?.(value, () => child.kill("SIGKILL"));
  }
  await ended;
  return lines;
}

interface ChildOptions {
  root: string;
  seed: number;
  durability?: string;
  onLine?: (value: unknown, kill: () => void) => void;
}
