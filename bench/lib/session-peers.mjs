// What other libraries do with a long history, at the settings that suit them best. Each call of a policy starts a
// session.
import { trimMessages } from "@langchain/core/messages";
import { encode } from "@toon-format/toon";
import { pruneMessages } from "ai";
import { ClearToolUsesEdit } from "langchain";

import { slidingWindow } from "./context-policies.mjs";
import { fromAiSdk, fromLangChain, toAiSdk, toLangChain } from "./peer-messages.mjs";

/** As many of the last messages as fit, starting at the user's; if none of the user's fits, at the model's. */
const langChainTrim = ({ budget, countOf, fixed }) => {
  const { convert, back } = createConverter(toLangChain, fromLangChain);
  return async (messages) => {
    const given = messages.map(convert);
    const trim = async (startOn) =>
      (
        await trimMessages(given, {
          maxTokens: budget - fixed,
          strategy: "last",
          includeSystem: true,
          startOn,
          tokenCounter: (list) => list.reduce((sum, message) => sum + countOf(back(message)), 0),
        })
      )
        // If only the system message fits, the library returns a hole.
        .filter((message) => message !== undefined)
        .map(back);
    const shown = await trim("human");
    return shown.some(({ role }) => role !== "system") ? shown : trim(["human", "ai"]);
  };
};

/**
 * Clears all results except the last ones once the history exceeds the budget: as few as make it fit, or all but one.
 */
const langChainClear = ({ budget, countOf, fixed }) => {
  const { convert, back } = createConverter(toLangChain, fromLangChain);
  const countTokens = async (list) =>
    list.reduce((sum, message) => sum + countOf(back(message)), fixed);
  return async (messages) => {
    let shown = messages.map(convert);
    for (const keep of keptMessages) {
      shown = messages.map(convert);
      const edit = new ClearToolUsesEdit({
        trigger: { tokens: budget },
        keep: { messages: keep },
      });
      await edit.apply({ messages: shown, model: undefined, countTokens });
      if ((await countTokens(shown)) <= budget) break;
    }
    return shown.map(back);
  };
};

/** Drops calls and results before the last messages: as few as make it fit. */
const aiSdkPrune = ({ budget, countOf, fixed }) => {
  const { convert, back } = createConverter(toAiSdk, fromAiSdk);
  const sizeOf = (list) => list.reduce((sum, message) => sum + countOf(message), fixed);
  return async (messages) => {
    if (sizeOf(messages) <= budget) return messages;
    const given = messages.map(convert);
    let shown = [];
    for (const keep of keptMessages) {
      const toolCalls = `before-last-${keep * 2}-messages`;
      shown = pruneMessages({ messages: given, toolCalls, emptyMessages: "remove" }).map(back);
      if (sizeOf(shown) <= budget) break;
    }
    return shown;
  };
};

/** JSON results as TOON, and as many of the last messages as fit. */
const toonAndLast = (options) => {
  const known = new Map();
  const shorten = (message) => {
    if (message.role !== "tool" || !/^\s*[[{]/.test(message.content)) return message;
    if (!known.has(message)) known.set(message, { ...message, content: inToon(message.content) });
    return known.get(message);
  };
  const last = slidingWindow(options)();
  return (messages) => last(messages.map(shorten));
};

/** By name. */
export const sessionPeers = [
  ["LangChain trimMessages", langChainTrim],
  ["LangChain ClearToolUsesEdit", langChainClear],
  ["AI SDK pruneMessages", aiSdkPrune],
  ["TOON, then the last messages", toonAndLast],
];

const keptMessages = [40, 20, 10, 5, 3, 2, 1];

function inToon(text) {
  try {
    return encode(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Messages that a library did not change come back unchanged. */
function createConverter(to, from) {
  const there = new WeakMap();
  const here = new WeakMap();
  return {
    convert(message) {
      if (!there.has(message)) there.set(message, to(message));
      here.set(there.get(message), message);
      return there.get(message);
    },
    back(message) {
      if (!here.has(message)) here.set(message, from(message));
      return here.get(message);
    },
  };
}
