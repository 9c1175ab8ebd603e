import type { ChatMessage, ModelUsage } from "@ccl/core";
import { isRecord, type JsonRecord, stringAt } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { FittedMessages } from "../fit/fit-options.ts";
import type { FitConversation } from "./fit-conversation.ts";

/** The common part of the official OpenAI and Anthropic clients. */
export interface ApiClient<Client> {
  post(path: string, options?: object): unknown;
  withOptions(options: object): Client;
}

/** How to read and write request bodies for a path. */
interface BodyWire {
  /** Reads the history. Returns undefined if there is nothing to fit. */
  read(body: JsonRecord): ChatMessage[] | undefined;
  /** Returns the content that takes up room besides the history. */
  tools(body: JsonRecord): unknown;
  write(fitted: FittedMessages, body: JsonRecord): JsonRecord;
  usageOf(usage: unknown): ModelUsage | undefined;
}

/** Copies a client. Before sending, the copy fits the request bodies of some paths. */
export function withFittedBodies<Client extends ApiClient<Client>>(
  client: Client,
  fit: FitConversation,
  wires: Readonly<Record<string, BodyWire>>,
): Client {
  if (typeof client?.post !== "function" || typeof client.withOptions !== "function") {
    const message =
      "withContext takes a client of the official package, with post and withOptions.";
    throw new ContextCompilerError("invalid_options", message);
  }
  const copy = client.withOptions({});
  const post = copy.post.bind(copy);
  return Object.assign(copy, {
    post: (path: string, options?: object) => {
      const wire = Object.hasOwn(wires, path) ? wires[path] : undefined;
      if (wire === undefined) return post(path, options);
      const fitting = fitOptions(options, fit, wire);
      const sent = fitting.then(({ options: fitted }) => fitted);
      return withReports(post(path, sent), async (usage) => (await fitting).report?.(usage));
    },
    withOptions: (options: object) => withFittedBodies(client.withOptions(options), fit, wires),
  });
}

/** Receives the `usage` of an answer. */
type Report = (usage: unknown) => Promise<void>;

async function fitOptions(
  given: object | undefined,
  fit: FitConversation,
  wire: BodyWire,
): Promise<{ options: object | undefined; report?: Report }> {
  const options = await given;
  if (options === undefined || !("body" in options) || !isRecord(options.body)) return { options };
  const { body } = options;
  const messages = wire.read(body);
  if (messages === undefined) return { options };
  const { prompt, report } = await fit(messages, {
    tools: wire.tools(body),
    model: stringAt(body, "model"),
    write: (fitted) => wire.write(fitted, body),
  });
  return {
    options: { ...options, body: { ...body, ...prompt } },
    report: (usage) => report(wire.usageOf(usage)),
  };
}

/**
 * Wraps the promise of an answer. It still resolves to the raw response and the answer. A stream
 * reports its usage while it is read.
 */
function withReports(promise: unknown, report: Report): unknown {
  if (!isApiPromise(promise)) return promise;
  return promise._thenUnwrap(async (answer) => {
    if (!isStream(answer)) await report(usageIn(answer));
    else {
      const iterate = answer.iterator.bind(answer);
      answer.iterator = () => {
        const events = iterate();
        const next = events.next.bind(events);
        events.next = async (...args) => {
          const event = await next(...args);
          await report(usageIn(event.value));
          return event;
        };
        return events;
      };
    }
    return answer;
  });
}

/** True for a list of messages, items or blocks. */
export function isObjects(value: unknown): value is object[] {
  return Array.isArray(value) && value.every(isRecord);
}

/**
 * Finds the usage in an answer or a stream event. An event has it as a field, or in the answer that
 * it starts or ends.
 */
function usageIn(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  return value["usage"] ?? usageIn(value["message"] ?? value["response"]);
}

/** True for the class that both clients create their answers from. */
function isApiPromise(
  value: unknown,
): value is { _thenUnwrap(transform: (answer: unknown) => unknown): unknown } {
  return value instanceof Promise && "_thenUnwrap" in value;
}

function isStream(value: unknown): value is { iterator: () => AsyncIterator<unknown> } {
  return isRecord(value) && typeof value["iterator"] === "function";
}
