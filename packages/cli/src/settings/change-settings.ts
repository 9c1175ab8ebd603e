import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { unless, writeFileDurable } from "@ccl/core/node";
import { createTwoFilesPatch } from "diff";

import { CliError } from "../cli-error.ts";
import { canAsk, type Session } from "../session.ts";
import type { CommandResult } from "../output/command-result.ts";

/** A file of another program's settings, and how ccl stands in it. */
export interface ClientSettings {
  path: string;
  /** The text with ccl in it, or without; all else stays as it is. @throws CliError `usage` for a text that can't be read */
  edit(text: string, isRemoval: boolean): string;
}

/** The settings for the user, or for the project alone. */
export type SettingsOf = (session: Session, isForProject: boolean) => ClientSettings;

/** Flags of commands that change settings. */
export interface SettingsFlags {
  project?: boolean | undefined;
  yes?: boolean | undefined;
  show?: boolean | undefined;
}

interface SettingsChange {
  client: string;
  isRemoval: boolean;
  /** The command that undoes it. */
  undo: string;
  flags: SettingsFlags;
}

/** Writes ccl into a client's settings, or takes it out, after the user has seen the change. */
export async function changeSettings(
  session: Session,
  settings: ClientSettings,
  { client, isRemoval, undo, flags }: SettingsChange,
): Promise<CommandResult> {
  const before = await unless(["ENOENT"], readFile(settings.path, "utf8"), "");
  const after = settings.edit(before, isRemoval);
  const document = { client, path: settings.path, changed: after !== before };
  if (!document.changed)
    return { document, text: () => `${settings.path} is as it should be; nothing to change.\n` };
  const patch = createTwoFilesPatch(settings.path, settings.path, before, after);
  const shown = patch.split("\n").slice(2).join("\n");
  if (flags.show === true) return { document, text: () => shown };
  await agree(session, shown, flags);
  await writeText(settings.path, after);
  return { document, text: () => `wrote ${settings.path}; \`${undo}\` undoes it\n` };
}

/** A file that would hold nothing is removed. */
async function writeText(path: string, text: string): Promise<void> {
  if (text === "") return await rm(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFileDurable(path, text);
}

async function agree(session: Session, patch: string, { yes }: SettingsFlags): Promise<void> {
  const { terminal, isJson, signal } = session;
  if (yes === true) {
    if (!isJson) terminal.stdout.write(patch);
    return;
  }
  if (!canAsk(session)) {
    const message = `This would change the settings:\n${patch}\nPass --yes to write it.`;
    throw new CliError("confirmation_required", message);
  }
  terminal.stdout.write(patch);
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: "Write this?", signal });
  if (prompts.isCancel(answer) || !answer) throw new CliError("aborted", "Nothing was changed.");
}
