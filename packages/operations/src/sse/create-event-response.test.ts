import { createServer, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { createScriptedModel } from "@ccl/core/testing";
import { EventSource } from "eventsource";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { ArtifactUsage } from "../artifact/operation-artifact.ts";
import { resultOf } from "../../test-support/run-records.ts";
import type { OperationRun, RunArtifact, RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import { createOperationRegistry } from "../profile/create-operation-registry.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import { createEventResponse } from "./index.ts";
import {
  type EventSourceOf,
  type EventStreamOptions,
  openEvents,
  streamOf,
} from "./create-event-response.ts";

const createEventStream = (options: EventStreamOptions): ReadableStream<Uint8Array> =>
  streamOf(openEvents(options), options.heartbeatMs);

const stamp = {
  runId: "r",
  chatId: "c",
  branchId: "b",
  userMessageId: "u",
  trigger: "generate",
  epoch: 1,
  ts: 1,
} as const;

const deltaOf = (seq: number, text: string): RunEvent => {
  return { ...stamp, seq, type: "main_llm.delta", assistantVariantId: "v", text, offset: 0 };
};
const finishOf = (seq: number): RunEvent => ({
  ...stamp,
  seq,
  type: "run.finished",
  status: "done",
  result: resultOf("r"),
});

function eventsOf(texts: readonly string[]): RunEvent[] {
  return [...texts.map((text, index) => deltaOf(index + 1, text)), finishOf(texts.length + 1)];
}

/** An engine with the events of one run; counts how many were read. */
function engineOf(
  events: readonly RunEvent[],
  onRead: (seq: number) => void = () => {},
): EventSourceOf {
  return {
    async *events(runId, { afterSeq, signal }) {
      if (runId !== "r") throw new OperationsError("unknown_run", `There is no run "${runId}".`);
      for (const event of events) {
        if (signal.aborted) return;
        if (event.seq <= afterSeq) continue;
        onRead(event.seq);
        yield event;
      }
    },
  };
}

/** An engine whose run never says anything. */
const silentEngine: EventSourceOf = {
  events: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
};

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

/** The messages of a stream, by the rules of the format: lines end with CR, LF or both, messages with an empty line. */
function messagesIn(text: string): { id: string; data: string }[] {
  const messages: { id: string; data: string }[] = [];
  let id = "";
  let data: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
    else if (line === "" && data.length > 0) {
      messages.push({ id, data: data.join("\n") });
      data = [];
    } else if (line !== "" && !line.startsWith(":")) throw new Error(`An unexpected line: ${line}`);
  }
  return messages;
}

describe("createEventStream", () => {
  it("writes each event as one message with its number as the id", async () => {
    const text = await textOf(createEventStream({ engine: engineOf([finishOf(1)]), runId: "r" }));
    expect(text).toMatchInlineSnapshot(`
      "id: 1
      data: {"runId":"r","chatId":"c","branchId":"b","userMessageId":"u","trigger":"generate","epoch":1,"ts":1,"seq":1,"type":"run.finished","status":"done","result":{"formatVersion":1,"runId":"r","status":"done","startedAt":7,"finishedAt":9,"durationMs":2,"operationRuns":[],"mainLlm":{"executed":true},"commitLog":[],"artifacts":[]}}

      "
    `);
  });

  it("lets no text of an event out of its message", async () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\n\nid: 9\ndata: {}\n\n",
        "\r\rdata: x\r\r",
        "\r\n\r\n",
        "\u2028\u2029",
        "\u0000",
        "\ud800",
        ": \n",
      ),
    );
    const property = fc.asyncProperty(fc.array(hostile, { maxLength: 6 }), async (texts) => {
      const events = eventsOf(texts);
      const text = await textOf(createEventStream({ engine: engineOf(events), runId: "r" }));
      expect(text).not.toMatch(/[\r\u2028\u2029\u0000]/);
      const messages = messagesIn(text);
      expect(messages.map(({ id }) => Number(id))).toEqual(events.map(({ seq }) => seq));
      expect(messages.map(({ data }): unknown => JSON.parse(data))).toEqual(events);
    });
    await fc.assert(property);
  });

  it("goes on behind the last event that the client has seen", async () => {
    const engine = engineOf(eventsOf(["a", "b", "c"]));
    const text = await textOf(createEventStream({ engine, runId: "r", lastEventId: "2" }));
    expect(messagesIn(text).map(({ id }) => id)).toEqual(["3", "4"]);
  });

  it.each(["x", "-1", "1.5", "1e3", " 1", "9".repeat(30), "1\n2"])(
    "refuses the last event id %j",
    (lastEventId) => {
      const open = (): unknown =>
        createEventStream({ engine: silentEngine, runId: "r", lastEventId });
      expect(open).toThrow(expect.objectContaining({ code: "invalid_options" }));
    },
  );

  it.each([{ heartbeatMs: 0 }, { heartbeatMs: -1 }, { heartbeatMs: Number.NaN }])(
    "refuses %j",
    (wrong) => {
      const open = (): unknown => createEventStream({ engine: silentEngine, runId: "r", ...wrong });
      expect(open).toThrow(expect.objectContaining({ code: "invalid_options" }));
    },
  );

  it("reads no more than a slow reader leaves room for", async () => {
    let read = 0;
    const engine = engineOf(
      eventsOf(Array.from({ length: 500 }, () => "x".repeat(1_000))),
      (seq) => {
        read = seq;
      },
    );
    const reader = createEventStream({ engine, runId: "r" }).getReader();
    for (let turn = 0; turn < 2_000; turn += 1) await Promise.resolve();
    expect(read).toBeLessThanOrEqual(66);
    await reader.cancel();
  });

  describe("keeps a silent stream alive", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it("with a comment, and stops its timer when the reader goes", async () => {
      vi.useFakeTimers();
      const reader = createEventStream({
        engine: silentEngine,
        runId: "r",
        heartbeatMs: 1_000,
      }).getReader();
      const first = reader.read();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(new TextDecoder().decode((await first).value)).toBe(": \n\n");
      await reader.cancel();
      expect(vi.getTimerCount()).toBe(0);
    });

    it("until its signal is aborted, which ends it", async () => {
      vi.useFakeTimers();
      const abort = new AbortController();
      const reader = createEventStream({
        engine: silentEngine,
        runId: "r",
        signal: abort.signal,
      }).getReader();
      const first = reader.read();
      abort.abort();
      expect((await first).done).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});

it("sends what is not for users only where it is told to", async () => {
  const run = { operationId: "o", hook: "before_main_llm", trigger: "generate" } as const;
  const artifactOf = (usage: ArtifactUsage): RunArtifact => ({
    tag: usage,
    operationId: "o",
    hook: "before_main_llm",
    persisted: true,
    usage,
    semantics: "state",
    value: `value of ${usage}`,
  });
  const error = { code: "internal_error", message: "m", details: "secret details" } as const;
  const failed = { ...run, operationName: "O", status: "error", error, finishedAt: 1 } as const;
  const usages = ["internal", "prompt_only", "ui_only", "prompt+ui"] as const;
  const operationRun: OperationRun = {
    ...run,
    required: false,
    errorDetails: "secret details",
    inputsSummary: { raw: "secret prompt" },
    outputsSummary: { raw: "secret answer" },
    status: "error",
  };
  const result = {
    ...resultOf("r"),
    operationRuns: [operationRun],
    artifacts: usages.map(artifactOf),
  };
  const events: RunEvent[] = [
    { ...stamp, seq: 1, type: "operation.finished", ...failed },
    { ...stamp, seq: 2, type: "run.finished", status: "done", result },
  ];
  const whole = JSON.stringify(events);
  for (const text of ["secret details", "secret prompt", "secret answer", "of internal"])
    expect(whole).toContain(text);
  const shown = await new Response(
    createEventStream({ engine: engineOf(events), runId: "r" }),
  ).text();
  expect(shown).not.toMatch(/secret|value of internal|value of prompt_only/u);
  for (const text of ["id: 1", "id: 2", "value of ui_only", "value of prompt+ui"])
    expect(shown).toContain(text);
});

it("streams the events of an engine, from the first and from the middle", async () => {
  const engine = createRunEngine({
    registry: createOperationRegistry(),
    mainModel: createScriptedModel(["Hello."]),
  });
  const run = await engine.start({
    trigger: "generate",
    chatId: "c",
    branchId: "m",
    message: "Hi",
  });
  const whole = messagesIn(await textOf(createEventStream({ engine, runId: run.runId })));
  expect(JSON.parse(whole.at(-1)?.data ?? "null")).toMatchObject({
    type: "run.finished",
    status: "done",
  });
  const rest = await textOf(createEventStream({ engine, runId: run.runId, lastEventId: "3" }));
  expect(messagesIn(rest)).toEqual(whole.slice(3));
});

describe("createEventResponse", () => {
  it("answers 204 where the client has seen everything, so that it does not connect again", async () => {
    const response = await createEventResponse({
      engine: engineOf(eventsOf(["a"])),
      runId: "r",
      lastEventId: "2",
    });
    expect(response.status).toBe(204);
  });

  it("rejects for an unknown run, before anything is sent", async () => {
    await expect(
      createEventResponse({ engine: engineOf([]), runId: "other" }),
    ).rejects.toMatchObject({
      code: "unknown_run",
    });
  });

  it("answers a silent run after one heartbeat", async () => {
    const response = await createEventResponse({
      engine: silentEngine,
      runId: "r",
      heartbeatMs: 1,
      headers: { "x-own": "1" },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-own")).toBe("1");
    await response.body?.cancel();
  });
});

describe("an EventSource over HTTP whose connection is cut again and again", () => {
  let server: Server | undefined;
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  /** Serves a run, and cuts each connection after that many events. */
  async function serve(
    engine: EventSourceOf,
    eventsAConnection: number,
  ): Promise<{ url: string; connections: () => number }> {
    let connections = 0;
    server = createServer((request, response) => {
      connections += 1;
      const lastEventId = request.headers["last-event-id"];
      const options = {
        engine,
        runId: "r",
        lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
      };
      void createEventResponse(options).then((answer) => send(answer, response, eventsAConnection));
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return { url: `http://127.0.0.1:${port}/`, connections: () => connections };
  }

  async function send(
    answer: Response,
    response: ServerResponse,
    eventsAConnection: number,
  ): Promise<void> {
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    // Otherwise the client waits for seconds before it reconnects.
    if (answer.status === 200) response.write("retry: 1\n\n");
    if (answer.body === null) {
      response.end();
      return;
    }
    let left = eventsAConnection;
    for await (const chunk of Readable.from(answer.body)) {
      if (!String(Buffer.from(chunk)).startsWith("id: ")) {
        response.write(chunk);
        continue;
      }
      // In the middle of a message: what the client has of it must not count.
      if ((left -= 1) < 0) {
        response.write(chunk.slice(0, chunk.length - 2), () => response.destroy());
        return;
      }
      response.write(chunk);
    }
    response.end();
  }

  it("sees every event once and in order, and stops after the last", async () => {
    const events = eventsOf(Array.from({ length: 40 }, (_, index) => `text ${index}\n\r\u2028`));
    const { url, connections } = await serve(engineOf(events), 7);
    const source = new EventSource(url);
    const seen: unknown[] = [];
    source.addEventListener("message", ({ data }) => seen.push(JSON.parse(data)));
    await new Promise<void>((resolve) => {
      source.addEventListener("error", () => {
        if (source.readyState === EventSource.CLOSED) resolve();
      });
    });
    expect(seen).toEqual(events);
    expect(connections()).toBe(Math.ceil(events.length / 7) + 1);
  });
});
