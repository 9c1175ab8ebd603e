// One example in a folder of its own, with the packed packages and nothing else of the repository.
import fs from "node:fs";
import path from "node:path";

import { installDependencies } from "../packages/consumer-app.mjs";
import { runCommand } from "../packages/run-command.mjs";

/** Nothing that answers: an example without a model replays its recording. */
const withoutModel = { CCL_MODEL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
const noOllama = { OLLAMA_HOST: "http://127.0.0.1:9" };

/** Copies an example, installs what its package.json names, and returns `run`, which gives what failed, or undefined. */
export function exampleTrial(source, { tarballs, directory }) {
  const isOwn = (file) => !["node_modules", "dist"].includes(path.basename(file));
  fs.cpSync(source, directory, { recursive: true, filter: isOwn });
  const manifest = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"));
  const resolve = (dependencies = {}) =>
    Object.fromEntries(
      Object.keys(dependencies).map((name) => [
        name,
        tarballs[name] === undefined ? installedVersion(source, name) : `file:${tarballs[name]}`,
      ]),
    );
  const dependencies = resolve(manifest.dependencies);
  // The packages ask for each other by version, and none of these versions is published yet.
  const others = Object.entries(tarballs).filter(([name]) => dependencies[name] === undefined);
  const overrides = Object.fromEntries(others.map(([name, file]) => [name, `file:${file}`]));
  const devDependencies = resolve(manifest.devDependencies);
  installDependencies(directory, { ...manifest, dependencies, devDependencies, overrides });
  return {
    run({ command: [node] }) {
      const PATH = [path.dirname(node), process.env.PATH].join(path.delimiter);
      const env = { ...process.env, ...withoutModel, ...noOllama, PATH };
      try {
        runCommand(["npm", "start"], { cwd: directory, env, timeout: 300_000 });
        return undefined;
      } catch (error) {
        return error.message;
      }
    },
  };
}

function installedVersion(source, name) {
  const file = path.join(source, "node_modules", name, "package.json");
  return JSON.parse(fs.readFileSync(file, "utf8")).version;
}
