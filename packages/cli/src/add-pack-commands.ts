import { type Command, InvalidArgumentError, Option } from "commander";

import type { PackFlags } from "./commands/pack.ts";
import type { CommandResult } from "./output/command-result.ts";
import type { ShapeFlags } from "./pack-shape.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl pack` and `ccl explain`, which shape a pack alike, and `ccl doctor`. */
export function addPackCommands(program: Command, run: Run, encoding: () => Option): void {
  const pack = program
    .command("pack")
    .description(
      "the project as a prompt within budget; in a folder without init it writes nothing",
    );
  addShape(pack, encoding);
  pack
    .addOption(
      new Option("--style <name>", "how it is written; document: names and cards only").choices([
        "plain",
        "markdown",
        "xml",
        "document",
      ]),
    )
    .option("--line-numbers", "put its number before each line of a file")
    .option("--instructions <file>", "rules for the model, before the task")
    .option("--profile <alias>", "the profile that the model is to follow, shown whole")
    .option("--diff", "add the changes of the working tree")
    .option("--log [commits]", "add the latest commits (default: 20)", parseCount)
    .option("--stdin", "only the files that stdin names, one a line")
    .option("--remote <repository>", "a URL, a local repository or owner/name at GitHub")
    .option("--branch <name>", "a branch or tag of --remote")
    .option("--show", "print only; write nothing below the folder of context files")
    .option("--out <file>", "write the pack to a file instead of stdout")
    .option("--split <tokens>", "write --out in parts of up to so many tokens", parseTokens)
    .option("--copy", "put the pack on the clipboard instead of stdout")
    .option("--watch", "write --out anew whenever a file changes")
    .option("--tree", "show on stderr which files and folders take how many tokens")
    .option("--base", "put what changed since the accepted base into the [DELTA] section")
    .option("--accept", "make this state the base of later deltas")
    .action((flags: PackFlags) =>
      run(async (session) => (await import("./commands/pack.ts")).pack(session, flags)),
    );
  const explain = program
    .command("explain <file...>")
    .description("why files rank where they do for a task, and what a pack shows of them");
  addShape(explain, encoding).action((files: string[], flags: ShapeFlags) =>
    run(async (session) => (await import("./commands/explain.ts")).explain(session, files, flags)),
  );
  program
    .command("doctor")
    .description("whether what ccl needs is here, and what packs leave out")
    .action(() => run(async (session) => (await import("./commands/doctor.ts")).doctor(session)));
}

function addShape(command: Command, encoding: () => Option): Command {
  return command
    .option("--task <text>", "what the model is to do (default: get to know the project)")
    .option(
      "--budget <tokens>",
      "size limit in tokens; 16k means 16,000 (default: 8000)",
      parseTokens,
    )
    .addOption(encoding())
    .option("--include <glob...>", "only files that match one of these")
    .option("--ignore <pattern...>", "leave files out, in .gitignore syntax")
    .option(
      "--focus <file...>",
      "aliases or paths that the work is about: shown in full, their neighbours rank higher",
    );
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("Give a number from 1 on.");
  return Number(text);
}

/** `8000` or `16k`. */
export function parseTokens(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(k?)$/i.exec(text);
  const tokens = Number(match?.[1]) * (match?.[2] === "" ? 1 : 1000);
  if (!Number.isInteger(tokens) || tokens < 1)
    throw new InvalidArgumentError("Give a whole number such as 8000 or 16k.");
  return tokens;
}
