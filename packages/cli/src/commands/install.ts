import type { CommandFunction } from "../command-line/command-declaration.ts";
import { usageError } from "../cli-error.ts";
import { changeSettings, type SettingsFlags } from "../settings/change-settings.ts";
import type { ClientSettings, SettingsOf } from "../settings/client-settings.ts";
import { hookSettings } from "../settings/hook-settings.ts";
import { mcpSettings } from "../settings/mcp-settings.ts";
import type { CommandResult, Session } from "../session.ts";

const kinds: Record<"mcp" | "hooks", ReadonlyMap<string, SettingsOf>> = {
  mcp: mcpSettings,
  hooks: hookSettings,
};

/** Adds ccl to a client's settings, or removes it, after the user has seen the change. */
export function installCommand(
  kind: "mcp" | "hooks",
  name: "install" | "uninstall",
): CommandFunction {
  return async (session: Session, client: string, flags: SettingsFlags) => {
    const { project = false } = flags;
    const settings = known(kinds[kind], client)(session, project);
    const isRemoval = name === "uninstall";
    const undo = `ccl ${kind} ${isRemoval ? "install" : "uninstall"} ${client}${project ? " --project" : ""}`;
    return await changeSettings(session, [settings], { isRemoval, undo, flags });
  };
}

function known<Value>(all: ReadonlyMap<string, Value>, client: string): Value {
  const found = all.get(client);
  if (found !== undefined) return found;
  const names = [...all.keys()].join(", ");
  throw usageError(`Unknown client ${JSON.stringify(client)}. Known clients: ${names}.`);
}

/** The settings for a client, the name of the setup, and the reason for it. */
type Way = readonly [settings: ReadonlyMap<string, SettingsOf>, name: string, why: string];

const byMcp = "by MCP, since it has no hook that can shorten results";
const printed = "which shortens the output of commands; for whole prompts: ccl wrap --";

/**
 * None of these needs a running process. A client whose proxy is not running could not reach its
 * model.
 */
const ways: ReadonlyMap<string, Way> = new Map<string, Way>([
  ["claude", [hookSettings, "claude-code", `by a hook, ${printed} claude`]],
  ["codex", [hookSettings, "codex", `by a paragraph for its model, ${printed} codex`]],
  ["opencode", [hookSettings, "opencode", `by a plugin, ${printed} opencode`]],
  ["cursor", [mcpSettings, "cursor", byMcp]],
  ["vscode", [mcpSettings, "vscode", byMcp]],
]);

/** Sets up a client in the way that suits it best. */
export async function on(
  session: Session,
  client: string,
  flags: SettingsFlags,
): Promise<CommandResult> {
  const [settings, name, why] = known(ways, client);
  session.terminal.stderr.write(`${client} ${why}\n`);
  const { project = false } = flags;
  const undo = `ccl off ${client}${project ? " --project" : ""}`;
  const all = [known(settings, name)(session, project)];
  return await changeSettings(session, all, { isRemoval: false, undo, flags });
}

/** Removes ccl from the settings of a client, or of all, whichever command added it. */
export async function off(
  session: Session,
  client: string | undefined,
  flags: SettingsFlags,
): Promise<CommandResult> {
  const { project = false } = flags;
  if (client !== undefined) known(ways, client);
  const all = clientSettings(session).flatMap((settings) =>
    settings.isForProject === project && (client === undefined || client === settings.client)
      ? [settings.settings]
      : [],
  );
  const undo = `ccl on ${client ?? "<client>"}${project ? " --project" : ""}`;
  return await changeSettings(session, all, { isRemoval: true, undo, flags });
}

/** Returns all places that may contain ccl, by the names of `ccl on`. */
export function clientSettings(
  session: Session,
): { client: string; isForProject: boolean; settings: ClientSettings }[] {
  return [false, true].flatMap((isForProject) =>
    Object.values(kinds).flatMap((kind) =>
      [...kind].map(([name, settings]) => ({
        client: name.replace("-code", ""),
        isForProject,
        settings: settings(session, isForProject),
      })),
    ),
  );
}
