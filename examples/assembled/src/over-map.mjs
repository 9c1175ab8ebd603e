/** Your own store: four calls over anything that keeps bytes under a key. Here it is a map. */
export function overMap(map = new Map()) {
  return {
    get: async (key) => map.get(key),
    set: async (key, value) => map.set(key, value),
    delete: async (key) => map.delete(key),
    keys: async (prefix) => [...map.keys()].filter((key) => key.startsWith(prefix)),
  };
}
