import path from "node:path";

import cacache from "cacache";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";

/** npm's cache: content by its SHA-512, checked on reading, and an index of keys. Syncs nothing. */
export async function cacacheFolder(folder) {
  const root = path.join(folder, "cache");
  return {
    put: ({ bytes, id }) => cacache.put(root, id, bytes),
    get: async (id) => (await cacache.get(root, id)).data,
    close: () => {},
  };
}

/** A key is a file, written in place under its name. Syncs nothing, checks nothing. */
export async function unstorageFolder(folder) {
  const storage = createStorage({ driver: fsDriver({ base: path.join(folder, "storage") }) });
  return {
    put: ({ bytes, id }) => storage.setItemRaw(id, bytes),
    get: (id) => storage.getItemRaw(id),
    close: () => storage.dispose(),
  };
}
