import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { unless, writeFileDurable } from "@ccl/core/node";
import { createTwoFilesPatch } from "diff";

import { CliError } from "../cli-error.ts";
import { clientSettings, type ClientName, isClientName } from "../mcp/client-settings.ts";
import type { CommandResult } from "../output/command-result.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl mcp install` and `ccl mcp uninstall`. */
export interface McpInstallFlags {
  project?: boolean | undefined;
  yes?: boolean | undefined;
  show?: boolean | undefined;
}

const names: readonly ClientName[] = ["claude-code", "codex", "cursor", "vscode", "opencode"];

/** Writes ccl into a client's settings, or takes it out, after the user has seen the change. */
export async function mcpInstall(
  session: Session,
  client: string,
  flags: McpInstallFlags & { isRemoval: boolean },
): Promise<CommandResult> {
  if (!isClientName(client))
    throw new CliError(
      "usage",
      `There is no client ${JSON.stringify(client)}; there are ${names.join(", ")}.`,
    );
  const { isRemoval, project = false } = flags;
  const settings = clientSettings(client, session, { project });
  const before = await readText(settings.path);
  const after = settings.edit(before ?? "", isRemoval);
  const document = { client, path: settings.path, changed: after !== (before ?? "") };
  if (!document.changed)
    return { document, text: () => `${settings.path} is as it should be; nothing to change.\n` };
  const patch = createTwoFilesPatch(settings.path, settings.path, before ?? "", after);
  const shown = patch.split("\n").slice(2).join("\n");
  if (flags.show === true) return { document, text: () => shown };
  await agree(session, shown, flags);
  await writeText(settings.path, after);
  const undo = isRemoval ? "install" : "uninstall";
  return {
    document,
    text: () => `wrote ${settings.path}; \`ccl mcp ${undo} ${client}\` undoes it\n`,
  };
}

async function readText(path: string): Promise<string | undefined> {
  return await unless(["ENOENT"], readFile(path, "utf8"), undefined);
}

/** A file that would hold nothing is removed. */
async function writeText(path: string, text: string): Promise<void> {
  if (text === "") return await rm(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFileDurable(path, text);
}

async function agree(
  { terminal, isJson, signal }: Session,
  patch: string,
  { yes }: McpInstallFlags,
): Promise<void> {
  if (yes === true) {
    if (!isJson) terminal.stdout.write(patch);
    return;
  }
  const canAsk = !isJson && terminal.stdin.isTTY === true && terminal.stdout.isTTY === true;
  if (!canAsk) {
    const message = `This would change the settings:\n${patch}\nPass --yes to write it.`;
    throw new CliError("confirmation_required", message);
  }
  terminal.stdout.write(patch);
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: "Write this?", signal });
  if (prompts.isCancel(answer) || !answer) throw new CliError("aborted", "Nothing was changed.");
}
