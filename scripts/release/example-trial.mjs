// One example in a folder of its own, with the packed packages and nothing else of the repository.
import path from "node:path";

import { installDependencies } from "../packages/consumer-app.mjs";
import { copyExample } from "../packages/copy-example.mjs";
import { runCommand } from "../packages/run-command.mjs";

/** Nothing that answers: an example without a model replays its recording. */
const withoutModel = { CCL_MODEL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
const noOllama = { OLLAMA_HOST: "http://127.0.0.1:9" };

/** Copies an example, installs what its package.json names, and returns `run`, which gives what failed, or undefined. */
export function exampleTrial(source, { tarballs, directory }) {
  const manifest = copyExample(
    source,
    directory,
    (name) => tarballs[name] && `file:${tarballs[name]}`,
  );
  // The packages ask for each other by version, and none of these versions is published yet.
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
