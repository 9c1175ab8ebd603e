import type { OutputStream } from "../session.ts";

/**
 * Ignores errors of a reader that stopped (`ccl pack | head`) or a closed terminal, so that the command still finishes
 * its work.
 */
export function ignoreClosedPipe(stream: Pick<OutputStream, "on">): void {
  stream.on("error", (error) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
}
