import { type Command, InvalidArgumentError, Option } from "commander";

import type { QueryFlags } from "./commands/query.ts";
import type { CommandResult } from "./output/command-result.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl query`: rows of what the catalog has, whatever sources they are in. */
export function addQueryCommand(program: Command, run: Run): void {
  program
    .command("query [sql]")
    .description(
      "run one SELECT over the tables and files of the catalog; a table on a terminal, tabs in a pipe",
    )
    .option("--plan <file>", "a plan in place of SQL, as YAML, JSON or arrows; - for stdin")
    .addOption(
      new Option(
        "--format <format>",
        "table, csv or json (rows alone; --json has columns too)",
      ).choices(["table", "csv", "json"]),
    )
    .option("--explain", "say where it would run, and as what; read no rows")
    .addOption(
      new Option("--dialect <name>", "whose words the SQL is in, where these differ").choices([
        "postgresql",
        "sqlite",
        "duckdb",
      ]),
    )
    .addOption(whole("--limit-rows <number>", "give up beyond so many rows", 10_000))
    .addOption(whole("--timeout-ms <number>", "give up after this time", 30_000))
    .action((sql: string | undefined, flags: QueryFlags) =>
      run(async (session) => (await import("./commands/query.ts")).query(session, sql, flags)),
    );
}

function whole(flags: string, description: string, otherwise: number): Option {
  return new Option(flags, description).default(otherwise).argParser((text: string): number => {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1.");
    return Number(text);
  });
}
