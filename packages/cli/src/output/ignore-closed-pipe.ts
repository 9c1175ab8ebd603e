import type { OutputStream } from "../session.ts";

/** A reader that has seen enough (`ccl pack | head`) or a terminal that was closed is no failure, and no reason to stop half way. */
export function ignoreClosedPipe(stream: Pick<OutputStream, "on">): void {
  stream.on("error", (error) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
}
