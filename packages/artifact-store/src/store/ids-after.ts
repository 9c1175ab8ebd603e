import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactDriver } from "../artifact-driver.ts";

const pageSize = 1000;

/**
 * Yields the driver's ids after `after`, or all ids, in order. Lists `limit` ids at a time.
 * @throws ArtifactStoreError `unavailable` if a listing does not advance
 */
export async function* idsAfter(
  driver: ArtifactDriver,
  {
    after = "",
    limit = pageSize,
    signal,
  }: { after?: string; limit?: number; signal: AbortSignal | undefined },
): AsyncGenerator<string, void> {
  for (let last: string | undefined = after; last !== undefined;) {
    const start: string = last;
    const page = await driver.listIds({ limit, after: start === "" ? undefined : start, signal });
    if (!page.every((id, index) => id > (page[index - 1] ?? start))) {
      const message = `The ${driver.name} driver's listIds gave ids that do not ascend from after "${start}" on; it has to.`;
      throw new ArtifactStoreError("unavailable", message);
    }
    yield* page;
    last = page.at(-1);
  }
}
