import { Command, Option } from "commander";
import { readFileSync } from "node:fs";

import { addCatalogCommands } from "./add-catalog-commands.ts";
import { addPackCommands, parseTokens } from "./add-pack-commands.ts";
import { addGen, addMemoryCommands, addPlanCommands } from "./add-plan-commands.ts";
import { addMcpCommands } from "./add-mcp-commands.ts";
import { addQueryCommand } from "./add-query-command.ts";
import { addRunCommands } from "./add-run-commands.ts";
import { addGatewayCommands } from "./add-gateway-commands.ts";
import { addUiCommand } from "./add-ui-command.ts";
import type { DiffFlags } from "./commands/diff.ts";
import type { CommandResult } from "./output/command-result.ts";
import { styleOf } from "./output/style.ts";
import type { GlobalFlags, Session, Terminal } from "./session.ts";

/** Runs one command in a session of the global flags. */
export type RunCommand = (
  flags: GlobalFlags,
  command: (session: Session) => Promise<CommandResult>,
) => Promise<void>;

/** The command line. Commands are imported when they run, so that help costs nothing. */
export function createProgram(terminal: Terminal, run: RunCommand): Command {
  const program = new Command("ccl")
    .description(
      "A real repository as a prompt within budget: short names, cards, packs and deltas; plans that change it.",
    )
    .version(readVersion())
    .option("-C, --root <dir>", "the project's folder (default: the current one)")
    .option(
      "--directory <dir>",
      "where context files are, relative to the root; .ado for an AdaOS folder",
      ".ccl",
    )
    .option("--json", "one JSON document on stdout, for errors too")
    .hook("preAction", (_, command) => takeFromParent(command));
  configure(program, terminal);
  const runCommand = (command: (session: Session) => Promise<CommandResult>): Promise<void> =>
    run(program.opts<GlobalFlags>(), command);
  addInit(program, runCommand);
  addAliasCommands(program, runCommand);
  addCardsCommands(program, runCommand);
  addPackCommands(program, runCommand, encodingOption);
  addExpand(program, runCommand);
  addDiff(program, runCommand);
  addPlanCommands(program, runCommand);
  addMemoryCommands(program, runCommand);
  addGen(program, runCommand, [budgetOption(), encodingOption()]);
  addCatalogCommands(program, runCommand, { budget: budgetOption, encoding: encodingOption });
  addQueryCommand(program, runCommand);
  addMcpCommands(program, runCommand);
  addGatewayCommands(program, runCommand);
  addRunCommands(program, runCommand);
  addUiCommand(program, runCommand);
  return program;
}

/** Commander gives an option that `mcp` and `mcp proxy` share to `mcp`, wherever it stands. */
function takeFromParent(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.parent?.getOptionValueSource(name) === "cli")
      command.setOptionValue(name, command.parent.getOptionValue(name));
  }
}

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

function configure(program: Command, terminal: Terminal): void {
  const { colours } = styleOf(terminal.stdout, terminal.env);
  program
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => colours.bold(title) })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      // The runner prints what went wrong, once, as text or as JSON.
      outputError: () => undefined,
    });
}

function addInit(program: Command, run: Run): void {
  program
    .command("init")
    .description("set up the folder of context files and name every file that is not ignored")
    .option("-y, --yes", "ask nothing")
    .action((flags: { yes?: boolean | undefined }) =>
      run(async (session) => (await import("./commands/init.ts")).init(session, flags)),
    );
}

function addAliasCommands(program: Command, run: Run): void {
  const alias = program
    .command("alias")
    .description("short names of files: H.main, S.entities, T.contract");
  alias
    .command("add <alias> <path>")
    .description("name a file, or name it anew")
    .action((name: string, path: string) =>
      run(async (session) =>
        (await import("./commands/alias-add.ts")).aliasAdd(session, name, path),
      ),
    );
  alias
    .command("list")
    .description("all aliases with their paths and hashes")
    .action(() =>
      run(async (session) => (await import("./commands/alias-list.ts")).aliasList(session)),
    );
  alias
    .command("verify")
    .description("compare the recorded hashes with the files; exit code 3 when one is stale")
    .action(() =>
      run(async (session) => (await import("./commands/alias-verify.ts")).aliasVerify(session)),
    );
  alias
    .command("scan")
    .description("name new files, record new hashes, drop the names of files that are gone")
    .action(() =>
      run(async (session) => (await import("./commands/alias-scan.ts")).aliasScan(session)),
    );
  alias
    .command("rm <alias>")
    .description("forget a name; the file stays")
    .action((name: string) =>
      run(async (session) => (await import("./commands/alias-rm.ts")).aliasRemove(session, name)),
    );
}

function addCardsCommands(program: Command, run: Run): void {
  const cards = program.command("cards").description("index cards: a file in at most ten lines");
  cards
    .command("build [alias...]")
    .description("write the cards of these aliases, or of all")
    .action((aliases: string[]) =>
      run(async (session) =>
        (await import("./commands/cards-build.ts")).cardsBuild(session, aliases),
      ),
    );
  cards
    .command("show <alias>")
    .description("print a card made from the file as it is now")
    .action((alias: string) =>
      run(async (session) => (await import("./commands/cards-show.ts")).cardsShow(session, alias)),
    );
}

function addExpand(program: Command, run: Run): void {
  program
    .command("expand <alias>")
    .description(
      "print the file behind an alias, in its own words; takes H.main or H.main@9f8e7d6c",
    )
    .option("--lines <range>", "a part of it: 10-40, 10- or 7")
    .action((alias: string, flags: { lines?: string | undefined }) =>
      run(async (session) => (await import("./commands/expand.ts")).expand(session, alias, flags)),
    );
}

function addDiff(program: Command, run: Run): void {
  program
    .command("diff")
    .description("what changed since the accepted base, as the prompt of the next round")
    .option("--action <text>", "what the model is to do about it")
    .option("--task <text>", "the task of the pack that is given when the delta is larger than it")
    .addOption(budgetOption())
    .addOption(encodingOption())
    .option("--patch", "print what git apply takes instead of the prompt")
    .option("--show", "print only; write nothing")
    .action((flags: DiffFlags) =>
      run(async (session) => (await import("./commands/diff.ts")).diff(session, flags)),
    );
}

function budgetOption(): Option {
  return new Option("--budget <tokens>", "most tokens; 16k means 16,000")
    .default(8000, "8000")
    .argParser(parseTokens);
}

function encodingOption(): Option {
  return new Option("--model-encoding <name>", "how tokens are counted")
    .choices(["o200k_base", "cl100k_base", "estimate"])
    .default("o200k_base");
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "0.0.0";
}
