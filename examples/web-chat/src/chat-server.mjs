// Serves the page on loopback, with Node's own server.
import { readFile } from "node:fs/promises";
import http from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { createHandler } from "./create-handler.mjs";

/** Listens on the given port, or on any free one. Returns the address and `close` of the server. */
export async function openChatServer({ port = 0, ...found }) {
  const page = await readFile(new URL("page.html", import.meta.url), "utf8");
  const handle = createHandler({ page, ...found });
  const server = http.createServer(async (request, response) => {
    const { method, headers, url } = request;
    const body = method === "POST" ? Readable.toWeb(request) : undefined;
    const asked = { method, headers, body, duplex: "half" };
    const answer = await handle(new Request(new URL(url, "http://127.0.0.1"), asked));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    // A client that disconnects ends the answer.
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => undefined);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
