import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A separate ext4 file system in a file, whose power can be cut. Needs root and a loop device. */
export interface LoopDisk {
  /** The mount point. */
  readonly folder: string;
  /**
   * From now on nothing reaches the disk, neither data nor the journal, and every pending write fails. End the
   * processes that use the disk, then call `mountAgain`, which replays the journal like the boot after a power cut.
   */
  cutPower(): Promise<void>;
  mountAgain(): Promise<void>;
  /** Unmounts and removes the disk. */
  dispose(): Promise<void>;
}

// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, from fs/ext4/ext4.h.
const shutDown =
  'open(my $f, "<", $ARGV[0]) or die $!; my $flags = pack("L", 2); ioctl($f, 0x8004587d, $flags) or die $!;';

/** The disk, or the reason why none can be created here. */
export async function openLoopDisk({
  sizeMiB,
}: {
  sizeMiB: number;
}): Promise<LoopDisk | { whyNot: string }> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return { whyNot: "it needs root on Linux" };
  const place = await mkdtemp(join(tmpdir(), "ccl-loop-disk-"));
  const image = join(place, "image");
  const folder = join(place, "mounted");
  const mount = (): Promise<unknown> => run("mount", ["-o", "loop", image, folder]);
  const unmount = (): Promise<unknown> => run("umount", [folder]);
  try {
    await mkdir(folder);
    await writeFile(image, "");
    await truncate(image, sizeMiB * 1024 * 1024);
    await run("mkfs.ext4", ["-q", "-F", image]);
    await mount();
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    return { whyNot: error instanceof Error ? error.message.trim() : String(error) };
  }
  return {
    folder,
    cutPower: async () => void (await run("perl", ["-e", shutDown, folder])),
    async mountAgain() {
      await unmount();
      await mount();
    },
    async dispose() {
      await unmount();
      await rm(place, { recursive: true, force: true });
    },
  };
}
