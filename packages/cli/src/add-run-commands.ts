import { type Command, InvalidArgumentError, Option } from "commander";

import type { RunFlags } from "./commands/runs.ts";
import type { CommandResult } from "./output/command-result.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl run` and `ccl session`: chat runs and conversations of an application's store. */
export function addRunCommands(program: Command, run: Run): void {
  const runs = program
    .command("run")
    .description("look at the runs of a chat backend, end or resume them");
  stored(runs.command("list"))
    .description("the newest runs of a store")
    .addOption(limit(20))
    .option("--unfinished", "only those that have not ended, oldest first")
    .action((flags: RunFlags) =>
      run(async (session) => (await import("./commands/runs.ts")).runList(session, flags)),
    );
  stored(runs.command("show <run>"))
    .description("one run: its operations, its calls of the model and how it ended")
    .option("--events", "each event, too")
    .action((id: string, flags: RunFlags) =>
      run(async (session) => (await import("./commands/runs.ts")).runShow(session, id, flags)),
    );
  stored(runs.command("abort <run>"))
    .description("end a run, whichever worker has it")
    .option("--reason <text>", "kept with the run")
    .action((id: string, flags: RunFlags) =>
      run(async (session) => (await import("./commands/runs.ts")).runAbort(session, id, flags)),
    );
  stored(runs.command("resume <run>"))
    .description("carry a run on that no worker has, here")
    .option(
      "--engine <module>",
      "exports createEngine(stores) of your application; needed for its own operations",
    )
    .option("--model <name>", "such as ollama/qwen3:8b; default CCL_MODEL")
    .action((id: string, flags: RunFlags) =>
      run(async (session) => (await import("./commands/runs.ts")).runResume(session, id, flags)),
    );
  const sessions = program.command("session").description("look at the conversations of a store");
  stored(sessions.command("list"))
    .description("chats with their branches")
    .addOption(limit(100))
    .action((flags: RunFlags) =>
      run(async (session) => (await import("./commands/sessions.ts")).sessionList(session, flags)),
    );
  stored(sessions.command("show <id>"))
    .description("what was said in a chat, the newest last")
    .option("--branch <name>", "default main")
    .option("--find <words>", "only turns that have all of these words")
    .addOption(limit(20))
    .action((id: string, flags: RunFlags) =>
      run(async (session) =>
        (await import("./commands/sessions.ts")).sessionShow(session, id, flags),
      ),
    );
}

function stored(command: Command): Command {
  return command
    .option("--store <path>", "a SQLite file, or the folder that holds it; default CCL_STORE")
    .option("--postgres <url>", "postgres://...; needs the package pg");
}

function limit(otherwise: number): Option {
  return new Option("--limit <number>", "how many").default(otherwise).argParser((text): number => {
    if (!/^[1-9]\d{0,3}$/.test(text))
      throw new InvalidArgumentError("Give a number from 1 to 9999.");
    return Number(text);
  });
}
