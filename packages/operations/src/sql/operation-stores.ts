import type { ChatMessage } from "@ccl/core";
import type { Records } from "@ccl/records";

import { createProfileStore } from "../ports/create-profile-store.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { LeaseOwners, RunStore } from "../ports/run-store.ts";
import { createSqlChatStore, type DurableChatStore } from "./create-sql-chat-store.ts";
import { createSqlRunStore } from "./create-sql-run-store.ts";
import { createSqlDatabase, type StepRunner } from "./sql-database.ts";

/** All stores of an engine in one database. Spread it into the options of `createRunEngine`. */
export interface OperationStores extends LeaseOwners {
  profiles: ProfileStore;
  runs: RunStore;
  chat: DurableChatStore;
  /** Waits for writes in progress, and refuses later ones with `closed`. A second call does nothing. */
  close(): Promise<void>;
}

/** Options for every kind of database. */
export interface OperationStoresOptions {
  /** Messages before the first turn of every branch, such as a system prompt or a greeting. They are not stored. */
  preamble?: readonly ChatMessage[] | undefined;
  signal?: AbortSignal | undefined;
}

/** An open database, and how to close it. */
interface OpenDatabase {
  runner: StepRunner;
  records: Records;
  end?: (() => void) | undefined;
}

/** Creates the stores on existing tables. */
export function createOperationStores(
  { runner, records, end }: OpenDatabase,
  { preamble = [] }: OperationStoresOptions,
): OperationStores {
  const database = createSqlDatabase(runner);
  let closing: Promise<void> | undefined;
  return {
    profiles: createProfileStore(records),
    runs: createSqlRunStore(database),
    chat: createSqlChatStore(database, preamble),
    close() {
      closing ??= Promise.all([database.close(), records.close()]).then(end);
      return closing;
    },
  };
}
