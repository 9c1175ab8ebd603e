import { mkdir, readdir } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";

import type { ArtifactStore, ArtifactStoreOptions } from "@ccl/artifact-store";
import { openRecords, type Records } from "@ccl/records";
import { SqlError } from "@ccl/sql";

import { ownWords } from "./own-command.ts";
import type { Session, Terminal } from "./session.ts";
import { homeOf } from "./user-places.ts";

/** An open folder of artifacts. */
interface ArtifactFolder {
  store: ArtifactStore;
  /** Absolute. */
  path: string;
  /** How artifacts are kept: SQLite where Node or an installed package has a driver, else one file each. */
  kind: "sqlite" | "files" | "postgres";
  close(): Promise<void>;
}

/** The variable of a database that takes the place of the state folder, for several proxies. */
export const sharedState = "CCL_STATE_POSTGRES";

/** What decides where the state folder is; `process` fits. */
interface StateSurroundings {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

/**
 * Where ccl keeps artifacts and other state of a user: `CCL_STATE_DIR`, else the platform's folder for the state of
 * programs, such as `~/.local/state/ccl`. The folder need not exist.
 */
export function stateFolder({ env, platform }: StateSurroundings): string {
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

/** A command that reads what is kept, as it can be run where ccl was started. */
export function artifactCommand(
  terminal: Pick<Terminal, "argv" | "env">,
  words: string,
  state: string | undefined,
): string {
  const place = state === undefined ? "" : ` --state ${JSON.stringify(resolve(state))}`;
  const ccl = ownWords(terminal, terminal.env["npm_command"] === "exec" ? undefined : "ccl");
  return `${ccl} artifacts ${words}${place}`;
}

/**
 * Opens the folder, and makes it where it is missing, readable by its owner alone. A folder that holds artifacts already is
 * opened in the form that they are kept in.
 * @throws ArtifactStoreError
 */
export async function openArtifactFolder(
  folder: string,
  options: ArtifactStoreOptions = {},
): Promise<ArtifactFolder> {
  const path = resolve(folder);
  await mkdir(path, { recursive: true, mode: 0o700 });
  const names = await readdir(path);
  const opened =
    names.includes(filesName) && !names.includes(databaseName)
      ? await openFiles(path, options)
      : await openDatabase(path, options).catch((error: unknown) => {
          if (!isWithoutDriver(error) || names.includes(databaseName)) throw error;
          return openFiles(path, options);
        });
  return { ...opened, path, close: () => opened.store.close() };
}

const databaseName = "artifacts.db";
const filesName = "artifacts";

function isWithoutDriver(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return SqlError.isInstance(cause) && cause.code === "no_driver";
}

type Opened = Pick<ArtifactFolder, "store" | "kind">;

async function openDatabase(path: string, options: ArtifactStoreOptions): Promise<Opened> {
  const { openSqliteArtifactStore } = await import("@ccl/artifact-store-sqlite");
  const store = await openSqliteArtifactStore({ path: join(path, databaseName), ...options });
  return { store, kind: "sqlite" };
}

async function openFiles(path: string, options: ArtifactStoreOptions): Promise<Opened> {
  const { openFsArtifactStore } = await import("@ccl/artifact-store-fs");
  const store = await openFsArtifactStore({ root: join(path, filesName), ...options });
  return { store, kind: "files" };
}

/** Where the state is. */
export interface StateFlags {
  /** A folder. */
  state?: string | undefined;
  /** A database that several proxies share. Default, where no folder is given: CCL_STATE_POSTGRES. */
  postgres?: string | undefined;
}

/** Artifacts, and what proxies decided. */
export interface State extends ArtifactFolder {
  /** The caller closes them. */
  decisions(): Promise<Records>;
}

/** Opens the state of the user, or the one that several proxies share; `path` is the folder of what is kept beside it. */
export async function openState(session: Session, flags: StateFlags): Promise<State> {
  const { terminal } = session;
  const path = resolve(terminal.cwd(), flags.state ?? stateFolder(terminal));
  const shared = flags.state === undefined ? terminal.env[sharedState] : undefined;
  const address = flags.postgres ?? shared ?? "";
  if (address !== "") return await openShared(session, { address, path });
  const folder = await openArtifactFolder(path);
  return {
    ...folder,
    decisions: async () => (await import("@ccl/gateway/node")).openGatewayRecords(path),
  };
}

/** Runs work on the state, and closes it. */
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

/** By the package pg of the project; makes its tables. */
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
