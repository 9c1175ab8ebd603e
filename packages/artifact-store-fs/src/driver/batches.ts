import { join } from "node:path";
import { isReference, type ReferenceEntry, type ShardEntry } from "../layout/entry-name.ts";
import { folderPath, syncNames, type StoreFolder, unlinkIfThere } from "../layout/store-folder.ts";

/**
 * Commits of several references. Each reference names its batch, and counts once the batch's file is renamed from
 * `<token>.open` to `<token>.done`.
 */
export class Batches {
  readonly #store: StoreFolder;
  readonly #folder: string;
  /** Batches that are done stay done while any file refers to them. */
  readonly #done: Set<string> = new Set();

  constructor(store: StoreFolder) {
    this.#store = store;
    this.#folder = folderPath(store, "batches");
  }

  /** Starts a batch. Collectors treat its references as in use, readers as absent. */
  async begin(): Promise<string> {
    const batch = this.#store.owner.nextToken();
    await (await this.#store.fs.create(this.#pathOf(batch, "open"))).close();
    return batch;
  }

  /** Makes all references of the batch count at the same moment. */
  async commit(batch: string): Promise<void> {
    await this.#store.fs.rename(this.#pathOf(batch, "open"), this.#pathOf(batch, "done"));
    await syncNames(this.#store, this.#folder);
  }

  /** Ends a batch that failed. Its files become garbage. */
  async abandon(batch: string): Promise<void> {
    this.#done.delete(batch);
    await unlinkIfThere(this.#store, this.#pathOf(batch, "open"));
    await unlinkIfThere(this.#store, this.#pathOf(batch, "done"));
  }

  /** True if a reference of that batch counts. */
  async isVisible(batch: string | undefined): Promise<boolean> {
    if (batch === undefined || this.#done.has(batch)) return true;
    if (!(await this.#hasFile(batch, "done"))) return false;
    this.#done.add(batch);
    return true;
  }

  /** True if a reference of the batch counts or may still come to count. */
  async isInUse(batch: string | undefined): Promise<boolean> {
    // The order matters: in between, the batch can only change from open to done.
    if (batch === undefined || this.#done.has(batch)) return true;
    return (await this.#hasFile(batch, "open")) || (await this.isVisible(batch));
  }

  /** Returns the references that count at one moment: all references of a batch or none. */
  async visibleAmong(list: () => Promise<ShardEntry[]>): Promise<ReferenceEntry[]> {
    const files = await this.listFiles();
    const doneBefore = new Set(files.filter((file) => file.isDone).map((file) => file.batch));
    const entries = await list();
    return entries
      .filter(isReference)
      .filter(({ batch }) => batch === undefined || doneBefore.has(batch));
  }

  /** Lists the files of batches with their state, for a sweep. */
  async listFiles(): Promise<{ batch: string; isDone: boolean; path: string }[]> {
    return (await this.#store.fs.list(this.#folder)).flatMap((name) => {
      const [batch = "", state] = name.split(".");
      if (state !== "open" && state !== "done") return [];
      return [{ batch, isDone: state === "done", path: join(this.#folder, name) }];
    });
  }

  async #hasFile(batch: string, state: "open" | "done"): Promise<boolean> {
    return (await this.#store.fs.status(this.#pathOf(batch, state))) !== undefined;
  }

  #pathOf(batch: string, state: "open" | "done"): string {
    return join(this.#folder, `${batch}.${state}`);
  }
}
