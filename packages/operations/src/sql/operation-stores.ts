import type { ChatMessage } from "@ccl/core";
import type { Records } from "@ccl/records";

import { createProfileStore } from "../ports/create-profile-store.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import type { LeaseOwners, RunStore } from "../ports/run-store.ts";
import { createSqlChatStore, type DurableChatStore } from "./create-sql-chat-store.ts";
import { createSqlRunStore } from "./create-sql-run-store.ts";
import { createSqlDatabase, type StepRunner } from "./sql-database.ts";

/** All that an engine keeps, in one database; spread it into the options of `createRunEngine`. */
export interface OperationStores extends LeaseOwners {
  profiles: ProfileStore;
  runs: RunStore;
  chat: DurableChatStore;
  /** Lets writes that are under way end, and refuses later ones with `closed`. Closing twice does nothing. */
  close(): Promise<void>;
}

/** What is the same for every database. */
export interface OperationStoresOptions {
  /** Messages that stand before the first turn of every branch: a system prompt, a greeting. Not stored. */
  preamble?: readonly ChatMessage[] | undefined;
  signal?: AbortSignal | undefined;
}

/** What is open, and how it is closed. */
interface OpenDatabase {
  runner: StepRunner;
  records: Records;
  end?: (() => void) | undefined;
}

/** The stores over tables that are there. */
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
