import type { ChatMessage, Part } from "@ccl/core";
import { expect, it } from "vitest";

import { aiSdk, anthropic, chat, responses } from "../../test-support/golden-shapes.ts";
import { fromAiSdkMessages, toAiSdkMessages } from "./ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "./anthropic/index.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "./openai-chat/index.ts";
import { fromResponsesItems } from "./openai-responses/index.ts";
import { toResponsesItems } from "./openai-responses/to-responses-items.ts";

// The forms that messages came in hide from round trips what was misread: these are the messages themselves.
const partIn = (part: Part): string => {
  if (part.type === "provider")
    return `<${part.provider}${part.pairId === undefined ? "" : ` of ${part.pairId}`}>`;
  if (part.type === "text") return JSON.stringify(part.text);
  if (part.type === "reasoning")
    return `(${[part.text, part.signature].filter((text) => text !== undefined).join(" signed ")})`;
  const { type, mimeType, data, url, filename } = part;
  return [type, mimeType, data === undefined ? url : `${data.length} bytes`, filename]
    .filter((text) => text !== undefined)
    .join(" ");
};
const lineOf = ({ role, content, toolCalls, toolCallId, isError }: ChatMessage): string =>
  [
    isError === true ? `failed ${role}` : role,
    toolCallId,
    typeof content === "string" ? content : `[${content.map(partIn).join(", ")}]`,
    ...(toolCalls ?? []).map(({ id, name, arguments: text }) => `${name}#${id}${text}`),
  ]
    .filter((text) => text !== undefined)
    .join(" ");
const read = (shapes: Record<string, object[]>, from: (wire: object[]) => ChatMessage[]): object =>
  Object.fromEntries(Object.entries(shapes).map(([name, wire]) => [name, from(wire).map(lineOf)]));

it("reads messages of OpenAI", () => {
  expect(read(chat, fromOpenAiMessages)).toMatchInlineSnapshot(`
    {
      "a call that is none": [
        "user Hi",
        "assistant x look#a{ "at":1 }",
      ],
      "a custom call": [
        "user Hi",
        "assistant  p#a{",
        "tool a done",
      ],
      "a file": [
        "user [file application/pdf 1 bytes]",
      ],
      "a file by id": [
        "user [<openai>]",
      ],
      "a part without text": [
        "user ["", " "]",
      ],
      "an answer by voice": [
        "user Hi",
        "assistant [audio]",
      ],
      "an image": [
        "user [image image/png 8 bytes]",
      ],
      "an image with unknown fields": [
        "user [image image/* https://e.org/a]",
      ],
      "an old function": [
        "user Hi",
        "assistant ",
        "user [<openai>]",
      ],
      "audio": [
        "user [file audio/mpeg 8 bytes]",
      ],
      "cache marks": [
        "user ["Hi"]",
      ],
      "calls beside null, empty text and nothing": [
        "user Hi",
        "assistant  look#a{ "at":1 }",
        "tool a ",
        "user Hi",
        "assistant  look#b{ "at":1 }",
        "tool b ["x"]",
        "user Hi",
        "assistant  look#c{ "at":1 }",
        "tool c gone",
      ],
      "developer with a name": [
        "developer Rules.",
        "user Hi",
      ],
      "empty and null": [
        "user Hi",
        "assistant ",
        "user Hi",
        "assistant ",
      ],
      "empty reasoning": [
        "user Hi",
        "assistant Yes",
      ],
      "keys in another order": [
        "user Hi",
      ],
      "no calls": [
        "user Hi",
        "assistant Yes",
      ],
      "no parts": [
        "user []",
      ],
      "one part": [
        "user ["Hi"]",
      ],
      "reasoning beside calls": [
        "user Hi",
        "assistant [(Hm)] look#a{ "at":1 }",
      ],
      "reasoning_content": [
        "user Hi",
        "assistant [(Hm), "Yes"]",
      ],
      "reasoning_details": [
        "user Hi",
        "assistant [(Hm), "Yes"]",
      ],
      "refusal": [
        "user Hi",
        "assistant No.",
      ],
      "refusal in parts": [
        "user Hi",
        "assistant ["No."]",
      ],
      "system in parts": [
        "system ["Rules."]",
        "user Hi",
      ],
      "system in the middle": [
        "user Hi",
        "system Late.",
        "user Hi",
      ],
      "text": [
        "user Hi",
      ],
      "video": [
        "user [<openai>]",
      ],
    }
  `);
});

it("reads messages of Anthropic", () => {
  expect(read(anthropic, (messages) => fromAnthropicMessages({ messages }))).toMatchInlineSnapshot(`
    {
      "a blank block": [
        "user [" ", "Hi"]",
      ],
      "a failed result with media": [
        "user Hi",
        "assistant [] look#a{"b":1,"a":2}",
        "failed tool a ["bad", image image/png 8 bytes, <anthropic>]",
      ],
      "a search result": [
        "user [<anthropic>]",
      ],
      "cache marks": [
        "user ["Hi"]",
      ],
      "citations": [
        "user Hi",
        "assistant ["So"]",
      ],
      "code execution": [
        "user Hi",
        "assistant [<anthropic of s>, <anthropic of s>]",
      ],
      "compaction": [
        "user Hi",
        "assistant [<anthropic>]",
      ],
      "container upload": [
        "user [<anthropic>, "Go"]",
      ],
      "documents": [
        "user [<anthropic>, file application/pdf 1 bytes a.pdf, file text/plain 5 bytes, file application/pdf https://e.org/a.pdf, <anthropic>]",
      ],
      "fields of a turn": [
        "user Hi",
        "assistant Hi",
      ],
      "ids of another server": [
        "user Hi",
        "assistant [] look#functions.look:0{"b":1,"a":2}",
        "tool functions.look:0 1",
      ],
      "images": [
        "user [image image/png 8 bytes, <anthropic>, image image/* https://e.org/a]",
      ],
      "interleaved thinking": [
        "user Hi",
        "assistant [(Hm signed c2ln), (Hm signed d), "And", ()] look#a{"b":1,"a":2} look#b{"b":1,"a":2}",
        "tool a 1",
        "tool b []",
        "user Go on",
      ],
      "mcp": [
        "user Hi",
        "assistant [<anthropic of m>, <anthropic of m>]",
      ],
      "no blocks": [
        "user Hi",
        "assistant []",
        "user ",
      ],
      "one block": [
        "user Hi",
      ],
      "results without content": [
        "user Hi",
        "assistant [] look#a{"b":1,"a":2} look#b{"b":1,"a":2}",
        "tool a ",
        "tool b ",
      ],
      "server tools": [
        "user Hi",
        "assistant ["I search", <anthropic of srvtoolu_1>, <anthropic of srvtoolu_1>, "So"]",
      ],
      "system at the front of the messages": [
        "system Rules.",
        "user Hi",
      ],
      "system in the middle": [
        "user Hi",
        "system Late.",
        "assistant Yes",
        "system ["Later."]",
      ],
      "text": [
        "user Hi",
      ],
      "text before a result": [
        "user Hi",
        "assistant [] look#a{"b":1,"a":2}",
        "user So:",
        "tool a 1",
      ],
      "thinking without a signature": [
        "user Hi",
        "assistant [<anthropic>]",
      ],
      "two turns of one speaker": [
        "user Hi",
        "user Hi",
        "user Hi",
        "assistant A",
        "assistant B",
      ],
    }
  `);
});

it("reads items of Responses", () => {
  expect(read(responses, fromResponsesItems)).toMatchInlineSnapshot(`
    {
      "a list": [
        "user ["Hi"]",
      ],
      "calls and results": [
        "assistant [] look#a{ } look#b",
        "tool a 1",
        "tool b ["Hi", <openai-responses>]",
      ],
      "custom calls": [
        "assistant [] patch#a***",
        "tool a ok",
      ],
      "developer": [
        "developer ["Hi"]",
        "system x",
      ],
      "media": [
        "user [image image/png 8 bytes, file application/octet-stream https://e.org/a a, <openai-responses>, <openai-responses>]",
      ],
      "no output": [
        "assistant [<openai-responses>, ""]",
        "user []",
      ],
      "output in parts": [
        "assistant ["A", "B", "C"]",
      ],
      "provider tools": [
        "assistant [<openai-responses of web_search_call_1>, <openai-responses of file_search_call_1>, <openai-responses of code_interpreter_call_1>, <openai-responses of computer_call_1>, <openai-responses of image_generation_call_1>, <openai-responses of mcp_call_1>, <openai-responses of mcp_list_tools_1>, <openai-responses of mcp_approval_request_1>, <openai-responses of compaction_1>, <openai-responses of local_shell_call_1>, <openai-responses of apply_patch_call_1>, <openai-responses of mystery_1>]",
      ],
      "reasoning": [
        "assistant [(A), (B), (), (C)]",
      ],
      "reasoning between calls": [
        "assistant [(), (), "So"] look#a{} look#b{}",
      ],
      "references": [
        "assistant [<openai-responses of m>, <openai-responses of n>]",
        "user Hi",
      ],
      "text": [
        "user Hi",
      ],
      "their outputs": [
        "assistant [<openai-responses of c>, <openai-responses of s>, <openai-responses of p>]",
      ],
      "two outputs": [
        "assistant ["A", "B", "C"]",
      ],
      "unknown output": [
        "assistant [<openai-responses>]",
      ],
    }
  `);
});

it("reads messages of the AI SDK", () => {
  expect(read(aiSdk, fromAiSdkMessages)).toMatchInlineSnapshot(`
    {
      "a file by reference": [
        "user [<ai-sdk>]",
      ],
      "a file of AI SDK 7": [
        "user [image image/png 8 bytes, image image/* https://e.org/a, file text/plain 5 bytes a.txt]",
      ],
      "a file that was made": [
        "user Hi",
        "assistant [image image/png 8 bytes]",
      ],
      "a result of an unknown call": [
        "user Hi",
        "tool z 1",
      ],
      "an image in each form": [
        "user [image image/png 8 bytes, image image/png 8 bytes, image image/png 8 bytes a.png, image image/png 8 bytes, image image/png 8 bytes, image image/png 8 bytes a.png, image image/* https://e.org/a, image image/png https://e.org/a, image image/png https://e.org/a a.png]",
      ],
      "an output of an unknown type": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "user [<ai-sdk>]",
      ],
      "approvals": [
        "user Hi",
        "assistant [<ai-sdk of p>] look#a{"at":1}",
        "user [<ai-sdk>]",
      ],
      "custom and reasoning files": [
        "user Hi",
        "assistant [<ai-sdk>, <ai-sdk>]",
      ],
      "denied": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "failed tool a execution denied: no",
      ],
      "json": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "tool a {"b":[1,null],"a":""}",
      ],
      "json of an error": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "failed tool a null",
      ],
      "media of AI SDK 5": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "tool a ["x", image image/png 8 bytes]",
      ],
      "media of AI SDK 6": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "tool a [file application/pdf 8 bytes a.pdf, image image/png 8 bytes, image image/* https://e.org/a, file application/octet-stream https://e.org/b, <ai-sdk>, <ai-sdk>]",
      ],
      "media of AI SDK 7": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "tool a [image image/png 8 bytes a.png, image image/png https://e.org/a]",
      ],
      "no results": [
        "user Hi",
        "user [<ai-sdk>]",
      ],
      "options of an output": [
        "user Hi",
        "assistant [] look#a{"at":1}",
        "tool a x",
      ],
      "parallel results": [
        "user Hi",
        "assistant [] look#a{"at":1} look#b{"at":1}",
        "tool a 1",
        "failed tool b 2",
      ],
      "parts with options": [
        "user ["Hi", ""]",
      ],
      "reasoning and calls in turn": [
        "user Hi",
        "assistant [(Hm), (So), "And"] look#a{"at":1} look#b""",
      ],
      "results apart": [
        "user Hi",
        "assistant [] look#a{"at":1} look#b{"at":1}",
        "tool a 1",
        "tool b ",
      ],
      "system": [
        "system Rules.",
        "user Hi",
        "system Late.",
      ],
      "text": [
        "user Hi",
        "assistant ",
      ],
      "the provider's own tools": [
        "user Hi",
        "assistant [<ai-sdk of a>, <ai-sdk of a>, "So"]",
      ],
    }
  `);
});

it.each([
  ["image/png", "\u0089PNG\r\n"],
  ["image/jpeg", "\u00FF\u00D8\u00FF"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF\0\u0001\u0002\u0003WEBPVP8"],
])("takes the type of an image from its bytes: %s", (media_type, start) => {
  const bytes = Uint8Array.from(start, (character) => character.charCodeAt(0));
  const base64 = Buffer.from(bytes).toString("base64");
  const source = { type: "base64", media_type, data: base64 };
  for (const image of [bytes, bytes.buffer, base64]) {
    const messages = fromAiSdkMessages([{ role: "user", content: [{ type: "image", image }] }]);
    expect(toAnthropicMessages(messages).messages[0]?.content).toEqual([{ type: "image", source }]);
  }
});

it("takes the type of an image from its address", () => {
  const image = "data:image/webp;base64,AQID";
  for (const address of [image, new URL(image)]) {
    const wire = [{ role: "user", content: [{ type: "image", image: address }] }];
    const messages = fromAiSdkMessages(wire);
    expect(messages[0]?.content).toMatchObject([{ type: "image", mimeType: "image/webp" }]);
    expect(toAiSdkMessages(messages)).toEqual(wire);
  }
  expect(
    fromAiSdkMessages([{ role: "user", content: [{ type: "file", data: "AQID" }] }])[0]?.content,
  ).toMatchObject([{ type: "file", mimeType: "application/octet-stream" }]);
});

const spoken = [{ role: "assistant", content: [{ type: "image_url", image_url: { url: "u" } }] }];
const kept: [name: string, wire: object[] | undefined, thereAndBack: Change][] = [
  ...["cache marks", "an image"].map((name): (typeof kept)[0] => [name, chat[name], viaChat]),
  ["an image of the assistant", spoken, viaChat],
  ...["citations", "documents", "images", "a failed result with media", "interleaved thinking"].map(
    (name): (typeof kept)[0] => [name, anthropic[name], viaAnthropic],
  ),
  ...["media", "output in parts", "reasoning", "calls and results"].map(
    (name): (typeof kept)[0] => [name, responses[name], viaResponses],
  ),
  ...Object.entries(aiSdk)
    .filter(([name]) => /^(?:media|a file (?:of|that))/.test(name))
    .map(([name, wire]): (typeof kept)[0] => [name, wire, viaAiSdk]),
];

type Change = (wire: object[], change: (messages: ChatMessage[]) => ChatMessage[]) => unknown;
function viaChat(...[wire, change]: Parameters<Change>): unknown {
  return toOpenAiMessages(change(fromOpenAiMessages(wire)));
}
function viaAnthropic(...[messages, change]: Parameters<Change>): unknown {
  return toAnthropicMessages(change(fromAnthropicMessages({ messages }))).messages;
}
function viaResponses(...[wire, change]: Parameters<Change>): unknown {
  return toResponsesItems(change(fromResponsesItems(wire)));
}
function viaAiSdk(...[wire, change]: Parameters<Change>): unknown {
  return toAiSdkMessages(change(fromAiSdkMessages(wire)));
}

it.each(kept)("keeps what stands beside a change: %s", (_name, wire = [], thereAndBack) => {
  const sent = thereAndBack(wire, (messages) =>
    messages.map((message) =>
      typeof message.content === "string" || message.content.length === 0
        ? message
        : { ...message, content: [...message.content, { type: "text", text: "CHANGED" }] },
    ),
  );
  expect(JSON.stringify(sent)).toContain("CHANGED");
  expect(JSON.parse(JSON.stringify(sent).replaceAll(/,\{[^{}]*"CHANGED"\}/g, ""))).toEqual(
    JSON.parse(JSON.stringify(wire)),
  );
});

it("reads files of AI SDK 7 by their bytes and addresses, and leaves others alone", () => {
  const partsOf = (...data: unknown[]): unknown =>
    fromAiSdkMessages([
      {
        role: "user",
        content: data.map((value) => ({ type: "file", data: value, mediaType: "audio/wav" })),
      },
    ])[0]?.content;
  const bytes = Uint8Array.of(1, 2);
  const inline = { type: "file", mimeType: "audio/wav", data: bytes };
  const linked = { type: "file", mimeType: "audio/wav", url: "https://e.org/a" };
  expect(
    partsOf(
      { type: "data", data: bytes },
      { type: "data", data: "AQI=" },
      { type: "url", url: new URL("https://e.org/a") },
    ),
  ).toMatchObject([inline, inline, linked]);
  const unknown = [{ type: "data", data: { type: "data", data: bytes } }, { type: "url" }, 7];
  expect(partsOf(...unknown)).toMatchObject(unknown.map(() => ({ type: "provider" })));
});
