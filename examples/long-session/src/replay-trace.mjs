// Replays a recorded session under one policy, call by call: price, cached share, largest prompt, validity, argument support.

/** Prices in input-token equivalents. A provider caches a common prefix of 1,024 tokens or more. */
export const cachedPrice = 0.1;
export const newPrice = 1.25;
const shortestCachedPrefix = 1024;

/**
 * `policy(messages)` returns the prompt of a call. Create it for each replay, because policies keep state. A model call
 * is an assistant message, and its prompt contains all messages before it. `onCall` receives each call.
 */
export function replayTrace({ messages, tools }, { policy, counter, budget = Infinity, onCall }) {
  const countOf = createMessageCounter(counter);
  const fixed = counter.countMessages([], tools);
  const total = {
    calls: 0,
    price: 0,
    promptTokens: 0,
    cachedTokens: 0,
    largestPrompt: 0,
    overBudget: 0,
    invalid: 0,
    values: 0,
    supported: 0,
  };
  const missing = [];
  let previous = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || index === 0) continue;
    const prompt = policy(messages.slice(0, index), tools);
    const tokens = prompt.map(countOf);
    const size = tokens.reduce((sum, count) => sum + count, fixed);
    const common = commonTokens(previous, { prompt, tokens, fixed });
    const cached = common >= shortestCachedPrefix ? common : 0;
    const price = cached * cachedPrice + (size - cached) * newPrice;
    total.calls++;
    total.price += price;
    total.promptTokens += size;
    total.cachedTokens += cached;
    total.largestPrompt = Math.max(total.largestPrompt, size);
    if (size > budget) total.overBudget++;
    if (operationErrorOf(prompt) !== undefined) total.invalid++;
    const support = supportOf(messages, index, prompt);
    total.values += support.values;
    total.supported += support.supported;
    onCall?.({
      index,
      tokens: size,
      cached,
      price,
      values: support.values,
      supported: support.supported,
    });
    missing.push(...support.missing.map((value) => ({ index, value })));
    previous = prompt;
  }
  return {
    ...total,
    cachedShare: total.cachedTokens / total.promptTokens,
    support: total.values === 0 ? 1 : total.supported / total.values,
    missing,
  };
}

/** Tokens that a message adds to a prompt, cached by object and by bytes. */
export function createMessageCounter(counter) {
  const base = counter.countMessages([]);
  const cache = new WeakMap();
  const texts = new Map();
  return (message) => {
    const known = cache.get(message);
    if (known !== undefined) return known;
    const key = bytesOf(message);
    const tokens = texts.get(key) ?? counter.countMessages([message]) - base;
    texts.set(key, tokens);
    cache.set(message, tokens);
    return tokens;
  };
}

function bytesOf({ role, content, toolCalls, toolCallId }) {
  return JSON.stringify([role, content, toolCalls, toolCallId]);
}

function commonTokens(previous, { prompt, tokens, fixed }) {
  let common = previous.length === 0 ? 0 : fixed;
  for (const [index, message] of prompt.entries()) {
    const before = previous[index];
    if (before === undefined || (before !== message && bytesOf(before) !== bytesOf(message))) break;
    common += tokens[index];
  }
  return common;
}

/** What a provider would reject in a prompt, or undefined. */
export function operationErrorOf(prompt) {
  let open = new Set();
  let isStart = true;
  for (const { role, content, toolCalls = [], toolCallId } of prompt) {
    if (role === "tool") {
      if (!open.delete(toolCallId)) return "result without its call";
      continue;
    }
    if (open.size > 0) return "call without its result";
    if (role === "system" || role === "developer") continue;
    if (isStart && role !== "user") return "does not start with the user";
    isStart = false;
    if (content.length === 0 && toolCalls.length === 0) return "empty message";
    open = new Set(toolCalls.map(({ id }) => id));
  }
  return open.size > 0 ? "call without its result" : undefined;
}

function supportOf(messages, index, prompt) {
  const { toolCalls = [], source } = messages[index];
  const values = toolCalls.flatMap((call) => scalarsOf(parsed(call.arguments)));
  if (values.length === 0) return { values: 0, supported: 0, missing: [] };
  const read = messages
    .slice(0, index)
    .filter(
      (message) =>
        message.role !== "assistant" && (message.source === source || message.role === "system"),
    );
  const readText = read.map(textOf).join("\n");
  const shown = prompt
    .map(
      (message) =>
        textOf(message) + (message.toolCalls ?? []).map((call) => call.arguments).join("\n"),
    )
    .join("\n");
  const wanted = values.filter((value) => value.length >= 3 && readText.includes(value));
  const missing = wanted.filter((value) => !shown.includes(value));
  return { values: wanted.length, supported: wanted.length - missing.length, missing };
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function scalarsOf(value) {
  if (value === null || value === undefined || typeof value === "boolean") return [];
  if (typeof value === "object") return Object.values(value).flatMap(scalarsOf);
  return partsOf(String(value));
}

/**
 * The model wrote this command or text itself, so it was read nowhere as a whole. Then the names, paths and numbers in
 * it count.
 */
function partsOf(text) {
  if (text.length <= 40 && !/\s/.test(text)) return [text];
  const names = text.match(/[\w./@#-]{5,80}/g) ?? [];
  const notable = names
    .map((name) => name.replace(/[./-]+$/, ""))
    .filter((name) => /[\d/_.@#]/.test(name));
  return /\s/.test(text) && text.length <= 64 ? [text] : [...new Set(notable)];
}
