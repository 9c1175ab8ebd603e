import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { createMemoryRecords } from "@ccl/records";
import { expect, it } from "vitest";

import { createGateway } from "../gateway/create-gateway.ts";
import { retrieveContent } from "./compression-service.ts";

it("reports damaged handles if it finds no content, since one may be the requested one", async () => {
  const inner = createMemoryArtifactStore();
  let damaged: { handleId: string; artifactId: string }[] = [];
  const artifactStore = {
    ...inner,
    listHandles: async () => ({ ...(await inner.listHandles()), damaged }),
  };
  const gateway = createGateway({ records: createMemoryRecords(), artifactStore, hint: "hash" });
  const { artifactId } = await inner.store("All of it.", { source: "tool:shell" });
  const retrieve = (id: string) =>
    retrieveContent({ gateway, artifactStore }, `/v1/retrieve/${id.slice(0, 24)}`, {});
  expect(await retrieve("0".repeat(24))).toMatchObject({ status: 404 });
  damaged = [{ handleId: "h1", artifactId: "a1" }];
  const { status, body } = await retrieve("0".repeat(24));
  expect(status).toBe(500);
  expect(JSON.stringify(body)).toContain("Damaged handles in the store, maybe this one too: 1");
  expect(await retrieve(artifactId)).toMatchObject({ status: 200 });
});
