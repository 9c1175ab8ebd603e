// The page as a route of Hono.
import { readFile } from "node:fs/promises";

import { serve } from "@hono/node-server";
import { Hono } from "hono";

import { createHandler } from "./create-handler.mjs";

/** Listens on a port, or on any free one; the address and `close` of the server. */
export async function openChatServer({ port = 0, ...found }) {
  const page = await readFile(new URL("page.html", import.meta.url), "utf8");
  const handle = createHandler({ page, ...found });
  const app = new Hono().all("*", (context) => handle(context.req.raw));
  const server = await new Promise((resolve) => {
    const opened = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => resolve(opened));
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
