import type { CommandFunction } from "../command-line/command-declaration.ts";
import { CliError } from "../cli-error.ts";
import {
  changeSettings,
  type SettingsFlags,
  type SettingsOf,
} from "../settings/change-settings.ts";
import { hookSettings } from "../settings/hook-settings.ts";
import { mcpSettings } from "../settings/mcp-settings.ts";
import type { Session } from "../session.ts";

const kinds: Record<"mcp" | "hooks", ReadonlyMap<string, SettingsOf>> = {
  mcp: mcpSettings,
  hooks: hookSettings,
};

/** Writes ccl into a client's settings, or takes it out, after the user has seen the change. */
export function installCommand(
  kind: "mcp" | "hooks",
  name: "install" | "uninstall",
): CommandFunction {
  const known = kinds[kind];
  return async (session: Session, client: string, flags: SettingsFlags) => {
    const { project = false } = flags;
    const settings = known.get(client)?.(session, project);
    if (settings === undefined) {
      const names = [...known.keys()].join(", ");
      throw new CliError(
        "usage",
        `There is no client ${JSON.stringify(client)}; there are ${names}.`,
      );
    }
    const isRemoval = name === "uninstall";
    const undo = `ccl ${kind} ${isRemoval ? "install" : "uninstall"} ${client}${project ? " --project" : ""}`;
    return await changeSettings(session, settings, { client, isRemoval, undo, flags });
  };
}
