import { buildPack, openAliasRegistry, type Pack } from "@ccl/aliases";

/** A project as one prompt within a budget: what a model knows before it asks for a file. */
export async function packOf(root: string, task: string, budget: number): Promise<Pack> {
  const registry = await openAliasRegistry({ root, persist: false });
  try {
    await registry.scan();
    return await buildPack({ registry, task, budget });
  } finally {
    await registry.close();
  }
}
