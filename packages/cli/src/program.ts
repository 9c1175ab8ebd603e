import { readFileSync } from "node:fs";

import { Command } from "commander";

import { agentCommands, uiCommand } from "./command-line/agent-commands.ts";
import { addCommands } from "./command-line/command-declaration.ts";
import { catalogCommands, storeCommands } from "./command-line/data-commands.ts";
import { planCommands } from "./command-line/plan-commands.ts";
import { projectCommands } from "./command-line/project-commands.ts";
import { styleOf } from "./output/style.ts";
import type { CommandResult, GlobalFlags, Session, Terminal } from "./session.ts";

const examples = `
Examples:
  ccl                                     what it would do with this folder and your agents' sessions
  ccl pack --task "add a retry" | pbcopy  the part of this repository that a task needs
  ccl audit                               what your coding agents' prompts were spent on
`;

/** Runs one command in a session of the global flags. */
type RunCommand = (
  flags: GlobalFlags,
  command: (session: Session) => Promise<CommandResult>,
) => Promise<void>;

/** Creates the command line of `ccl`. */
export function createProgram(terminal: Terminal, run: RunCommand): Command {
  const { colours } = styleOf(terminal.stdout, terminal.env);
  const program = new Command("ccl")
    .description(
      "Turn a repository into a prompt within a token budget, and apply a model's changes to it.",
    )
    .version(readVersion())
    .option("-C, --root <dir>", "the project's folder (default: the current one)")
    .option(
      "--directory <dir>",
      "folder of context files, relative to the root; .ado for AdaOS",
      ".ccl",
    )
    .option("--json", "print one JSON document on stdout, also for errors")
    .hook("preAction", (_, command) => takeFromParent(command))
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => colours.bold(title) })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      // The runner prints errors once, as text or JSON.
      outputError: () => undefined,
    });
  const groups = {
    "A repository for a model:": projectCommands,
    "Coding agents, and what they cost:": [...agentCommands, uiCommand],
    "What a model wants to change:": planCommands,
    "Data for a model, and what was stored:": [...catalogCommands, ...storeCommands],
  };
  for (const [title, commands] of Object.entries(groups)) {
    program.commandsGroup(title);
    addCommands(program, commands, (command) => run(program.opts<GlobalFlags>(), command));
  }
  return program.addHelpText("after", examples);
}

/**
 * Copies options from the parent. Commander assigns an option that `mcp` and `mcp proxy` share to `mcp`, wherever it is
 * written.
 */
function takeFromParent(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.parent?.getOptionValueSource(name) === "cli")
      command.setOptionValue(name, command.parent.getOptionValue(name));
  }
}

function readVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return /"version": "([^"]+)"/.exec(manifest)?.[1] ?? "0.0.0";
}
