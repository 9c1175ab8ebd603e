import type { Durability } from "@ccl/core/node";
import type { OpenFile } from "../file-system/file-system.ts";
import { inParallel } from "./in-parallel.ts";

/** Sets a file's time while it is synced: the bytes must be durable, the time by which collectors judge need not. */
export async function syncAtTime(
  file: OpenFile,
  { durability, now }: { durability: Durability; now: number },
): Promise<void> {
  const setTime = (): Promise<void> => file.setTime(now);
  await inParallel(durability === "off" ? [setTime] : [() => file.sync(), setTime], (call) =>
    call(),
  );
}
