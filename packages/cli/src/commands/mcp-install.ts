import { CliError } from "../cli-error.ts";
import { clientNames, clientSettings, isClientName } from "../mcp/client-settings.ts";
import { changeSettings, type SettingsFlags } from "../output/change-settings.ts";
import type { CommandResult } from "../output/command-result.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl mcp install` and `ccl mcp uninstall`. */
export interface McpInstallFlags extends SettingsFlags {
  project?: boolean | undefined;
}

/** Writes ccl into a client's settings, or takes it out, after the user has seen the change. */
export async function mcpInstall(
  session: Session,
  client: string,
  flags: McpInstallFlags & { isRemoval: boolean },
): Promise<CommandResult> {
  if (!isClientName(client))
    throw new CliError(
      "usage",
      `There is no client ${JSON.stringify(client)}; there are ${clientNames.join(", ")}.`,
    );
  const { isRemoval, project = false } = flags;
  const undo = `ccl mcp ${isRemoval ? "install" : "uninstall"} ${client}`;
  const settings = clientSettings(client, session, { project });
  return await changeSettings(session, settings, { client, isRemoval, undo, flags });
}
