import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../artifact-store.ts";
import { createArtifactStore } from "../driver/index.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";

/** A store of "kept", whose reads are harmed for the first so many times that the blob is found. */
async function openHarmed(
  harm: "fails" | "flips",
  times: number,
): Promise<{ store: ArtifactStore; artifactId: string; isSetAside(): boolean | undefined }> {
  const state = new MemoryState();
  const memory = createMemoryDriver(state);
  const { artifactId } = await createArtifactStore(memory).store("kept", { source: "test" });
  let looks = 0;
  const find: typeof memory.find = async (id, options) => {
    const found = await memory.find(id, options);
    looks += 1;
    if (found === undefined || looks > times) return found;
    return {
      ...found,
      async *read() {
        if (harm === "fails") throw new Error("EIO");
        yield new TextEncoder().encode("lost");
      },
    };
  };
  const isSetAside = (): boolean | undefined => state.blobs.get(artifactId)?.isQuarantined;
  return { store: createArtifactStore({ ...memory, find }), artifactId, isSetAside };
}

describe("verify", () => {
  it.each(["fails", "flips"] as const)(
    "takes two looks: a read that %s once is no verdict",
    async (harm) => {
      const { store, isSetAside } = await openHarmed(harm, 1);
      expect(await store.verify()).toEqual({ checked: 1, damaged: [], missing: [] });
      expect(isSetAside()).toBe(false);
    },
  );

  it("reports what can't be read, and leaves it where it is", async () => {
    const { store, artifactId, isSetAside } = await openHarmed("fails", 2);
    expect(await store.verify()).toMatchObject({ damaged: [artifactId] });
    expect(isSetAside()).toBe(false);
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("kept");
  });

  it("sets wrong bytes aside", async () => {
    const { store, artifactId, isSetAside } = await openHarmed("flips", 2);
    expect(await store.verify()).toMatchObject({ damaged: [artifactId] });
    expect(isSetAside()).toBe(true);
  });
});
