// The page and its one call, on loopback: an answer as server-sent events, at last with what the window held.
import { readFile } from "node:fs/promises";
import http from "node:http";

import { explainModelFailure } from "@ccl/providers/environment";

const maxBytes = 20_000;

/** Listens on a port, or on any free one; the address and `close` of the server. */
export async function openChatServer(chat, { port = 0, source }) {
  const page = await readFile(new URL("page.html", import.meta.url), "utf8");
  const server = http.createServer(async (request, response) => {
    // Another site's page must not talk to this one.
    if (!/^(127\.0\.0\.1|localhost):\d+$/.test(request.headers.host ?? "")) {
      response.writeHead(403).end();
    } else if (request.method === "POST" && request.url === "/say") {
      await answer(chat, request, response);
    } else {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(page.replace("{source}", escapeHtml(source)));
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function answer(chat, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const send = (event, data) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const left = new AbortController();
  response.on("close", () => left.abort());
  try {
    send("meter", await chat.say(text, (piece) => send("text", piece), left.signal));
  } catch (error) {
    send("failure", explain(error));
  }
  response.end();
}

function explain(error) {
  if (error.code === "script_exhausted")
    return "The recording ends here. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama, to go on.";
  return explainModelFailure(error) ?? error.message;
}

const escapeHtml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
