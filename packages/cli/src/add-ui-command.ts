import type { Command } from "commander";

import type { UiFlags } from "./inspect/ui-flags.ts";
import type { CommandResult } from "./output/command-result.ts";
import { parsePort } from "./parse-port.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl ui`: what is in the context and why, as a page or as JSON. */
export function addUiCommand(program: Command, run: Run): void {
  program
    .command("ui [view] [parameters...]")
    .description(
      "a page on this machine: prompts, savings, packs, runs, catalog, queries and plans; with --json, one of its views: ccl ui --json prompt session=... at=3",
    )
    .option("--port <port>", "where it is served (default: a free one)", parsePort)
    .option("--state <folder>", "where the gateway keeps what it did")
    .option("--agents <folder>", "logs of coding agents, instead of those of this user")
    .option("--records <folder>", "where recordTo wrote prompts (default: .ccl/records)")
    .option(
      "--runs <store>",
      "runs of operations: a SQLite file, a folder with one, or postgres://...",
    )
    .option("--gateway <url>", "a running gateway, for what it says of itself")
    .option("--token-env <name>", "the variable that holds the gateway's token")
    .action((view: string | undefined, parameters: string[], flags: UiFlags) =>
      run(async (session) =>
        (await import("./commands/ui.ts")).ui(session, { view, parameters }, flags),
      ),
    );
}
