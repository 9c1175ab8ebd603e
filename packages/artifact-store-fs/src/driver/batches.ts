import { join } from "node:path";
import { isReference, type ReferenceEntry, type ShardEntry } from "../layout/entry-name.ts";
import { folderPath, syncNames, type StoreFolder, unlinkIfThere } from "../layout/store-folder.ts";

/**
 * Commits of several references. Each reference names its batch, and counts once the batch's file is renamed from
 * `<token>.open` to `<token>.done`.
 */
export interface Batches {
  /** Starts a batch. Collectors treat its references as in use, readers as absent. */
  begin(): Promise<string>;
  /** Makes all its references count at once. */
  commit(batch: string): Promise<void>;
  /** Ends a batch that failed. Its files become garbage. */
  abandon(batch: string): Promise<void>;
  /** True if a reference of that batch counts. */
  isVisible(batch: string | undefined): Promise<boolean>;
  /** True if it counts or may still come to count. */
  isInUse(batch: string | undefined): Promise<boolean>;
  /** The references that count at one moment: all references of a batch or none. */
  visibleAmong(list: () => Promise<ShardEntry[]>): Promise<ReferenceEntry[]>;
  /** The files of batches with their state, for a sweep. */
  listFiles(): Promise<{ batch: string; isDone: boolean; path: string }[]>;
}

/** The batches of a store. */
export function createBatches(store: StoreFolder): Batches {
  const { fs } = store;
  const folder = folderPath(store, "batches");
  const pathOf = (batch: string, state: "open" | "done"): string =>
    join(folder, `${batch}.${state}`);
  /** A batch that was done once stays done while any file names it. */
  const done = new Set<string>();

  const isDone = async (batch: string): Promise<boolean> => {
    if (done.has(batch)) return true;
    if ((await fs.status(pathOf(batch, "done"))) === undefined) return false;
    done.add(batch);
    return true;
  };

  const listFiles: Batches["listFiles"] = async () =>
    (await fs.list(folder)).flatMap((name) => {
      const [batch = "", state] = name.split(".");
      if (state !== "open" && state !== "done") return [];
      return [{ batch, isDone: state === "done", path: join(folder, name) }];
    });

  return {
    async begin() {
      const batch = store.owner.nextToken();
      await (await fs.create(pathOf(batch, "open"))).close();
      return batch;
    },
    async commit(batch) {
      await fs.rename(pathOf(batch, "open"), pathOf(batch, "done"));
      await syncNames(store, folder);
    },
    async abandon(batch) {
      done.delete(batch);
      await unlinkIfThere(store, pathOf(batch, "open"));
      await unlinkIfThere(store, pathOf(batch, "done"));
    },
    isVisible: async (batch) => batch === undefined || (await isDone(batch)),
    async isInUse(batch) {
      // The order matters: in between, the batch can only change from open to done.
      if (batch === undefined || done.has(batch)) return true;
      return (await fs.status(pathOf(batch, "open"))) !== undefined || (await isDone(batch));
    },
    async visibleAmong(list) {
      const doneBefore = new Set(
        (await listFiles()).filter((file) => file.isDone).map((file) => file.batch),
      );
      const entries = await list();
      return entries
        .filter(isReference)
        .filter(({ batch }) => batch === undefined || doneBefore.has(batch));
    },
    listFiles,
  };
}
