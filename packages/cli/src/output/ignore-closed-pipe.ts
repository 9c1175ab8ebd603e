import type { OutputStream } from "../session.ts";

/** `ccl pack | head` closes stdout early: what was asked for has been read, so that is no failure. */
export function ignoreClosedPipe(stream: Pick<OutputStream, "on">): void {
  stream.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
  });
}
