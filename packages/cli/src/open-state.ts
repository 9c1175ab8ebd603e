import { resolve } from "node:path";

import { openRecords, type Records } from "@ccl/records";

import {
  type ArtifactFolder,
  openArtifactFolder,
  sharedState,
  stateFolder,
} from "./artifact-folder.ts";
import type { Session } from "./session.ts";

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
    return {
      store,
      decisions: () => openRecords({ postgres: client }),
      close,
      path,
      kind: "postgres",
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}
