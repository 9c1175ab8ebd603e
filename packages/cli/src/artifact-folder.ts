import { chmod, mkdir, readdir } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";

import type { ArtifactStore } from "@ccl/artifact-store";
import { systemCode } from "@ccl/core/node";
import { openRecords, type Records } from "@ccl/records";
import { SqlError } from "@ccl/sql";

import { usageError } from "./cli-error.ts";
import { ownWords } from "./own-command.ts";
import type { Session, Terminal } from "./session.ts";
import { homeOf } from "./user-places.ts";

/** Artifacts and the decisions of proxies. */
export interface State {
  store: ArtifactStore;
  /** Absolute path of the folder for files next to the state. */
  path: string;
  /** SQLite if Node or an installed package has a driver, otherwise one file per artifact. */
  kind: "sqlite" | "files" | "postgres";
  /** Opens the decisions of proxies. The caller closes the records. */
  decisions(): Promise<Records>;
  close(): Promise<void>;
}

/**
 * Name of the variable that holds the address of a database to use instead of the state folder, so that several proxies
 * share state.
 */
export const sharedState = "CCL_STATE_POSTGRES";

/**
 * Returns the folder in which ccl keeps artifacts and other state of a user: `CCL_STATE_DIR`, or the platform's folder for
 * program state, such as `~/.local/state/ccl`. It need not exist.
 */
export function stateFolder({ env, platform }: Pick<Terminal, "env" | "platform">): string {
  const chosen = env["CCL_STATE_DIR"];
  if (chosen !== undefined && chosen !== "") return resolve(chosen);
  const home = homeOf(env);
  const standard = env["XDG_STATE_HOME"];
  if (standard !== undefined && isAbsolute(standard)) return join(standard, "ccl");
  if (platform === "win32")
    return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "ccl");
  if (platform === "darwin") return join(home, "Library", "Application Support", "ccl");
  return join(home, ".local", "state", "ccl");
}

/** Returns a command that reads stored artifacts, in a form that works where ccl was started. */
export function artifactCommand(
  terminal: Pick<Terminal, "argv" | "env">,
  words: string,
  state: string | undefined,
): string {
  const place = state === undefined ? "" : ` --state ${JSON.stringify(resolve(state))}`;
  const ccl = ownWords(terminal, terminal.env["npm_command"] === "exec" ? undefined : "ccl");
  return `${ccl} artifacts ${words}${place}`;
}

/** Adds to a system error in the state folder how to choose another one. @throws CliError `usage` */
export async function inStateFolder<T>(path: string, using: Promise<T>): Promise<T> {
  return await using.catch((cause: unknown) => {
    const message = `${path} cannot be used as the state folder (${systemCode(cause)}). Set CCL_STATE_DIR to a folder that you can write to.`;
    throw usageError(message, cause);
  });
}

const databaseName = "artifacts.db";
const filesName = "artifacts";

/** Opens the store of a folder. One that already holds artifacts keeps its storage format. */
export async function openStore(path: string): Promise<Pick<State, "store" | "kind">> {
  const names = await readdir(path);
  if (!names.includes(filesName) || names.includes(databaseName)) {
    const { openSqliteArtifactStore } = await import("@ccl/artifact-store-sqlite");
    try {
      const store = await openSqliteArtifactStore({ path: join(path, databaseName) });
      await chmod(join(path, databaseName), 0o600);
      return { store, kind: "sqlite" };
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const isWithoutDriver = SqlError.isInstance(cause) && cause.code === "no_driver";
      if (!isWithoutDriver || names.includes(databaseName)) throw error;
    }
  }
  const { openFsArtifactStore } = await import("@ccl/artifact-store-fs");
  return { store: await openFsArtifactStore({ folder: join(path, filesName) }), kind: "files" };
}

/** Flags that choose where state is stored. */
export interface StateFlags {
  /** A folder. */
  state?: string | undefined;
  /** A database that several proxies share. `CCL_STATE_POSTGRES` by default, unless a folder is given. */
  postgres?: string | undefined;
}

/**
 * Opens the user's state, or the database that several proxies share. Creates a folder readable by its owner only.
 * @throws ArtifactStoreError
 */
export async function openState(session: Session, flags: StateFlags): Promise<State> {
  const { terminal } = session;
  const path = resolve(terminal.cwd(), flags.state ?? stateFolder(terminal));
  const shared = flags.state === undefined ? terminal.env[sharedState] : undefined;
  const address = flags.postgres ?? shared ?? "";
  if (address !== "") return openShared(session, { address, path });
  await inStateFolder(path, mkdir(path, { recursive: true, mode: 0o700 }));
  const opened = await openStore(path);
  return {
    ...opened,
    path,
    close: () => opened.store.close(),
    decisions: async () => (await import("@ccl/gateway/node")).openGatewayRecords(path),
  };
}

/** Runs `work` on the state, then closes it. */
export async function withState<T>(
  session: Session,
  { state }: Pick<StateFlags, "state">,
  work: (state: State) => Promise<T>,
): Promise<T> {
  const opened = await openState(session, { state });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Connects through the project's package pg and creates the tables. */
async function openShared(
  session: Session,
  { address, path }: { address: string; path: string },
): Promise<State> {
  const { openPostgresPool } = await import("./catalog/load-sql.ts");
  const { openPostgresArtifactStore } = await import("@ccl/artifact-store-postgres");
  const client = openPostgresPool(session, address);
  try {
    const store = await openPostgresArtifactStore({ client });
    const close = async (): Promise<void> => {
      await store.close();
      await client.end();
    };
    const decisions = (): Promise<Records> => openRecords({ postgres: client });
    return { store, decisions, close, path, kind: "postgres" };
  } catch (error) {
    await client.end();
    throw error;
  }
}
