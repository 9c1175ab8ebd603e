// Handles the page's requests, from a Request to a Response, for any server that uses these.
import { explainModelFailure } from "@ccl/providers/environment";

import { createChat } from "./create-chat.mjs";
import { tellStory } from "./story.mjs";

const maxBytes = 20_000;

/** The page, its story and its answers, only for clients on this machine. */
export function createHandler({ page, model, source }) {
  const chat = model && createChat(model);
  return async (request) => {
    const { pathname } = new URL(request.url);
    // Pages of other sites must not use this server.
    if (!/^(127\.0\.0\.1|localhost):\d+$/.test(request.headers.get("host") ?? ""))
      return new Response(undefined, { status: 403 });
    if (pathname === "/story") return stream(tellStory);
    if (pathname === "/say" && request.method === "POST") {
      const words = (await request.text()).slice(0, maxBytes);
      return stream(async (onEvent, signal) => {
        if (chat === undefined) throw new Error(`Model: ${source}`);
        onEvent("meter", await chat.say(words, (piece) => onEvent("text", piece), signal));
      });
    }
    const html = page.replace("{source}", () => escapeHtml(source));
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  };
}

/** Sends the events of `tell` as server-sent events, until it ends or its client disconnects. */
function stream(tell) {
  const left = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async start(controller) {
      const onEvent = (event, data) =>
        controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      try {
        await tell(onEvent, left.signal);
      } catch (error) {
        if (left.signal.aborted) return;
        onEvent("failure", explainModelFailure(error) ?? error.message);
      }
      if (!left.signal.aborted) controller.close();
    },
    cancel: () => left.abort(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

const escapeHtml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
