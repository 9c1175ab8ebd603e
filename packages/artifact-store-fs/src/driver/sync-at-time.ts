import { mapConcurrent } from "@ccl/core/async";
import type { Durability } from "@ccl/core/node";
import type { OpenFile } from "../file-system/file-system.ts";
import { filesAtOnce } from "../layout/store-folder.ts";

/** Sets a file's time while it is synced: the bytes must be durable, the time by which collectors judge need not. */
export async function syncAtTime(
  file: OpenFile,
  { durability, now }: { durability: Durability; now: number },
): Promise<void> {
  const setTime = (): Promise<void> => file.setTime(now);
  await mapConcurrent(
    durability === "off" ? [setTime] : [() => file.sync(), setTime],
    filesAtOnce,
    (call) => call(),
  );
}
