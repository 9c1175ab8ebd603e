// Runs one example in its own folder, with the packed packages and nothing else of the repository.
import path from "node:path";

import { installDependencies } from "../packages/consumer-app.mjs";
import { copyExample } from "../packages/copy-example.mjs";
import { runCommand } from "../packages/run-command.mjs";

/** No model is reachable, so an example replays its recording. */
const withoutModel = { CCL_MODEL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
const noOllama = { OLLAMA_HOST: "http://127.0.0.1:9" };

/** Copies an example and installs the dependencies in its package.json. `run` returns what failed, or undefined. */
export function exampleTrial(source, { tarballs, directory }) {
  const manifest = copyExample(
    source,
    directory,
    (name) => tarballs[name] && `file:${tarballs[name]}`,
  );
  // The packages depend on each other by version, and none of these versions is published yet.
  const others = Object.entries(tarballs).filter(
    ([name]) => manifest.dependencies[name] === undefined,
  );
  const overrides = Object.fromEntries(others.map(([name, file]) => [name, `file:${file}`]));
  installDependencies(directory, { ...manifest, overrides });
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
