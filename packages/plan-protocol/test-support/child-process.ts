import { isRecord } from "@ccl/core/json";
import { requireBuilt as requireFile, runScript } from "@ccl/core/testing/node";

const built = new URL("../dist/node/index.js", import.meta.url);

/** @throws where the package has not been built, which a child process needs */
export function requireBuilt(): void {
  requireFile(built);
}

/**
 * What every child script begins with. Calls that change files are counted, and before the one with the number
 * `CCL_KILL_AT` the process kills itself as `kill -9` would; `arm()` begins the count. `startedBy` tells a script that
 * never ends by itself when it has been left alone.
 */
const header = `
  process.on("uncaughtException", (error) => {
    say({ uncaught: String(error.stack) });
    process.exit(1);
  });
  const startedBy = process.ppid;
  const root = process.env.CCL_ROOT;
  const killAt = Number(process.env.CCL_KILL_AT);
  let calls = -1;
  const arm = () => { calls = 0; };
  const counted = () => calls;
  const changing = ["write", "fsync", "fchmod", "link", "rename", "unlink", "mkdir", "rmdir", "open"];
  for (const name of changing.flatMap((call) => [call, call + "Sync"])) {
    const original = fs[name];
    const watched = function (...args) {
      const changes = !name.startsWith("open") || (args[1] & fs.constants.O_CREAT) !== 0;
      if (changes && calls >= 0) {
        if (calls === killAt) process.kill(process.pid, "SIGKILL");
        calls += 1;
      }
      return original.apply(this, args);
    };
    Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
    fs[name] = watched;
  }
  const { openWorkspace } = await import(process.env.CCL_BUILT);
`;

/** How a child is run. */
export interface ChildOptions {
  root: string;
  killAt?: number;
  env?: Record<string, string>;
  onLine?: (value: unknown, kill: () => void) => void;
}

/**
 * Runs a script as a process of its own and gives each line that it says.
 * @throws what the script throws; one that is killed throws nothing
 */
export async function runChild(
  script: string,
  { root, killAt = -1, env = {}, onLine }: ChildOptions,
): Promise<unknown[]> {
  const own = { CCL_BUILT: built.href, CCL_ROOT: root, CCL_KILL_AT: String(killAt) };
  const said = await runScript(header + script, { env: { ...own, ...env }, onLine });
  for (const value of said)
    if (isRecord(value) && typeof value["uncaught"] === "string")
      throw new Error(value["uncaught"]);
  return said;
}
