import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactDriver } from "../artifact-driver.ts";

const pageSize = 1000;

/** All ids of a driver. @throws ArtifactStoreError `unavailable` if a listing does not advance */
export async function* pagesOfIds(
  driver: ArtifactDriver,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  let after = "";
  for (;;) {
    const page = await pageOfIds(driver, { after, limit: pageSize, signal });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** The ids after one id, in order. Pass "" to begin with the first. */
export async function pageOfIds(
  driver: ArtifactDriver,
  { after, limit, signal }: { after: string; limit: number; signal: AbortSignal | undefined },
): Promise<string[]> {
  const page = await driver.listIds({
    limit,
    after: after !== "" ? after : undefined,
    signal,
  });
  if (page.every((id, index) => id > (page[index - 1] ?? after))) return page;
  const message = `The ${driver.name} driver's listIds gave ids that do not ascend from after "${after}" on; it has to.`;
  throw new ArtifactStoreError("unavailable", message);
}
