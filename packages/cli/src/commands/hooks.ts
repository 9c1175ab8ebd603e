import { CliError } from "../cli-error.ts";
import { hookClients, hookSettings, isHookClient } from "../hooks/hook-settings.ts";
import { changeSettings, type SettingsFlags } from "../output/change-settings.ts";
import type { CommandResult } from "../output/command-result.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl hooks install` and `ccl hooks uninstall`. */
export interface HooksFlags extends SettingsFlags {
  project?: boolean | undefined;
}

/** Has an agent's long results shortened as they come, without a proxy; or takes that back. */
export async function hooks(
  session: Session,
  client: string,
  flags: HooksFlags & { isRemoval: boolean },
): Promise<CommandResult> {
  if (!isHookClient(client))
    throw new CliError(
      "usage",
      `There is no client ${JSON.stringify(client)}; there are ${hookClients.join(", ")}.`,
    );
  const { isRemoval, project = false } = flags;
  const settings = hookSettings(client, session, { project });
  const undo = `ccl hooks ${isRemoval ? "install" : "uninstall"} ${client}${project ? " --project" : ""}`;
  return await changeSettings(session, settings, { client, isRemoval, undo, flags });
}
