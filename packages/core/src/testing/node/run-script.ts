import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** How `runScript` runs a script. */
export interface RunScriptOptions {
  env?: Record<string, string | undefined> | undefined;
  /**
   * Called with each value that the script passes to `say`. `kill` ends the process like `kill -9`.
   */
  onLine?: ((value: unknown, kill: () => void) => void) | undefined;
}

/**
 * `say` prints a value immediately, as a line of JSON, so that it arrives even if the process is
 * killed next.
 */
const header = `
  import fs from "node:fs";
  const writeSync = fs.writeSync;
  const say = (value) => writeSync(1, JSON.stringify(value) + "\\n");
`;

/**
 * Runs an ES module in a child process and returns the values that it passed to `say`. The script
 * can use `fs` and `say`. Resolves when the process ends, for whatever reason.
 */
export async function runScript(
  script: string,
  { env = {}, onLine }: RunScriptOptions = {},
): Promise<unknown[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", header + script], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const values: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const value: unknown = JSON.parse(line);
    values.push(value);
    onLine?.(value, () => child.kill("SIGKILL"));
  }
  await ended;
  return values;
}

/**
 * @throws for a file of a package that was not built, because child processes cannot run the
 * sources
 */
export function requireBuilt(file: URL): void {
  if (!existsSync(file)) throw new Error(`${fileURLToPath(file)} is missing: run the build first.`);
}
