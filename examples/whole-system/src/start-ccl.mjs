import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts a serving command of `ccl`, and waits for its address. */
export async function startCcl(flags, { cwd }) {
  const program = fileURLToPath(import.meta.resolve("@ccl/cli/package.json"));
  const child = spawn(
    process.execPath,
    [program.replace("package.json", "dist/ccl.js"), ...flags],
    {
      cwd,
      env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: cwd, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
        const [found] = /http:\/\/127\.0\.0\.1:\d+\/?(?=\s)/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
    ended.then((code) => reject(new Error(`ccl ended with ${code}: ${said}`)));
  });
  return { url, close: () => (child.kill("SIGINT"), ended) };
}
