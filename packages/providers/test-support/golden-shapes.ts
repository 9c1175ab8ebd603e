// Messages of each wire format that their converters have to give back.
/** The plainest message. */
export const user = { role: "user", content: "Hi" };
const png = "iVBORw0KGgo=";
const ephemeral = { cache_control: { type: "ephemeral", ttl: "1h" } };

const chatCall = (id: string, more: object = {}): object => ({
  id,
  type: "function",
  function: { name: "look", arguments: '{ "at":1 }' },
  ...more,
});
const chatUser = (...content: object[]): object[] => [{ role: "user", content }];
const chatSaid = (fields: object): object[] => [user, { role: "assistant", ...fields }];

/** Of the format, by what they show. */
export const chat: Record<string, object[]> = {
  text: [user],
  "keys in another order": [{ content: "Hi", role: "user" }],
  "developer with a name": [{ role: "developer", content: "Rules.", name: "op" }, user],
  "system in parts": [{ role: "system", content: [{ type: "text", text: "Rules." }] }, user],
  "system in the middle": [user, { role: "system", content: "Late." }, user],
  "one part": chatUser({ type: "text", text: "Hi" }),
  "no parts": chatUser(),
  "a part without text": chatUser({ type: "text", text: "" }, { type: "text", text: " " }),
  "cache marks": chatUser({ type: "text", text: "Hi", ...ephemeral }),
  "an image": chatUser({ type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }),
  "an image with unknown fields": chatUser({
    type: "image_url",
    image_url: { detail: "low", url: "https://e.org/a", x: 1 },
    y: null,
  }),
  audio: chatUser({ type: "input_audio", input_audio: { data: png, format: "mp3" } }),
  "a file": chatUser({ type: "file", file: { file_data: "data:application/pdf;base64,AQ==" } }),
  "a file by id": chatUser({ type: "file", file: { file_id: "f1" } }),
  video: chatUser({ type: "video_url", video_url: { url: "https://e.org/v" } }),
  "empty and null": [...chatSaid({ content: "" }), ...chatSaid({ content: null })],
  "calls beside null, empty text and nothing": [
    ...chatSaid({ content: null, tool_calls: [chatCall("a")] }),
    { role: "tool", tool_call_id: "a", content: "" },
    ...chatSaid({ content: "", tool_calls: [chatCall("b", { index: 0 })] }),
    { role: "tool", content: [{ type: "text", text: "x" }], tool_call_id: "b", name: "look" },
    ...chatSaid({ tool_calls: [chatCall("c")] }),
    { tool_call_id: "c", role: "tool", content: "gone" },
  ],
  "no calls": chatSaid({ content: "Yes", tool_calls: [], function_call: null }),
  "a custom call": [
    ...chatSaid({
      content: null,
      tool_calls: [{ id: "a", type: "custom", custom: { name: "p", input: "{" } }],
    }),
    { role: "tool", tool_call_id: "a", content: "done" },
  ],
  "a call that is none": chatSaid({
    content: "x",
    tool_calls: [{ type: "mystery" }, chatCall("a")],
  }),
  refusal: chatSaid({ content: null, refusal: "No.", annotations: [] }),
  "refusal in parts": chatSaid({ content: [{ type: "refusal", refusal: "No." }] }),
  "an answer by voice": chatSaid({ content: null, audio: { id: "a1" } }),
  reasoning_content: chatSaid({ reasoning_content: "Hm", content: "Yes" }),
  "reasoning beside calls": chatSaid({ content: "", tool_calls: [chatCall("a")], reasoning: "Hm" }),
  reasoning_details: chatSaid({
    content: "Yes",
    reasoning: "Hm",
    reasoning_details: [{ type: "reasoning.encrypted", data: "gAAA", index: 0 }],
  }),
  "empty reasoning": chatSaid({ content: "Yes", reasoning_content: "" }),
  "an old function": [
    ...chatSaid({ content: null, function_call: { name: "f", arguments: "{}" } }),
    { role: "function", name: "f", content: "1" },
  ],
};

const turn = (...content: object[]): object[] => [{ role: "user", content }];
const said = (...content: object[]): object[] => [user, { role: "assistant", content }];
const use = (id: string, more: object = {}): object => ({
  type: "tool_use",
  id,
  name: "look",
  input: { b: 1, a: 2 },
  ...more,
});
const answer = (id: string, more: object = {}): object => ({
  type: "tool_result",
  tool_use_id: id,
  ...more,
});
const thinking = { type: "thinking", thinking: "Hm", signature: "c2ln" };
const searched = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", url: "u", encrypted_content: "E" }],
  },
];

/** Of the format, by what they show. */
export const anthropic: Record<string, object[]> = {
  text: [user],
  "one block": turn({ type: "text", text: "Hi" }),
  "no blocks": [user, { role: "assistant", content: [] }, { role: "user", content: "" }],
  "a blank block": turn({ type: "text", text: " " }, { type: "text", text: "Hi" }),
  "two turns of one speaker": [
    user,
    user,
    ...said({ type: "text", text: "A" }),
    { role: "assistant", content: "B" },
  ],
  "system in the middle": [
    user,
    { role: "system", content: "Late." },
    { role: "assistant", content: "Yes" },
    { role: "system", content: [{ type: "text", text: "Later.", ...ephemeral }] },
  ],
  "system at the front of the messages": [{ role: "system", content: "Rules." }, user],
  "cache marks": turn({ ...ephemeral, type: "text", text: "Hi" }),
  citations: said({
    type: "text",
    text: "So",
    citations: [{ type: "char_location", cited_text: "x" }],
  }),
  "interleaved thinking": [
    ...said(
      thinking,
      use("a"),
      { ...thinking, signature: "d" },
      { type: "text", text: "And" },
      use("b"),
      { type: "redacted_thinking", data: "xyz" },
    ),
    ...turn(answer("a", { content: "1" }), answer("b", { content: [] }), {
      type: "text",
      text: "Go on",
    }),
  ],
  "thinking without a signature": said({ type: "thinking", thinking: "Hm" }),
  "server tools": said({ type: "text", text: "I search" }, ...searched, {
    type: "text",
    text: "So",
  }),
  "code execution": said(
    { type: "server_tool_use", id: "s", name: "code_execution", input: {} },
    {
      type: "bash_code_execution_tool_result",
      tool_use_id: "s",
      content: { type: "x", stdout: "1" },
    },
  ),
  mcp: said(
    { type: "mcp_tool_use", id: "m", name: "n", server_name: "s", input: {} },
    { type: "mcp_tool_result", tool_use_id: "m", is_error: false, content: [] },
  ),
  compaction: said({ type: "compaction", content: "Before: ...", encrypted_content: null }),
  "container upload": turn(
    { type: "container_upload", file_id: "f" },
    { type: "text", text: "Go" },
  ),
  documents: turn(
    { type: "document", source: { type: "file", file_id: "f" } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "AQ==" },
      title: "a.pdf",
      context: "c",
      citations: { enabled: true },
    },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
    { type: "document", source: { type: "url", url: "https://e.org/a.pdf" } },
    { type: "document", source: { type: "content", content: "x" } },
  ),
  images: turn(
    { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    { type: "image", source: { type: "file", file_id: "f" } },
    { type: "image", source: { type: "url", url: "https://e.org/a" } },
  ),
  "a search result": turn({
    type: "search_result",
    source: "s",
    title: "t",
    content: [{ type: "text", text: "x" }],
  }),
  "a failed result with media": [
    ...said(use("a")),
    ...turn(
      answer("a", {
        is_error: true,
        content: [
          { type: "text", text: "bad" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
          { type: "tool_reference", tool_name: "x" },
        ],
        ...ephemeral,
      }),
    ),
  ],
  "results without content": [
    ...said(use("a", ephemeral), use("b")),
    ...turn(answer("a"), answer("b", { is_error: false, content: "" })),
  ],
  "text before a result": [
    ...said(use("a")),
    ...turn({ type: "text", text: "So:" }, answer("a", { content: "1" })),
  ],
  "ids of another server": [
    ...said(use("functions.look:0")),
    ...turn(answer("functions.look:0", { content: "1" })),
  ],
  "fields of a turn": [
    user,
    {
      id: "msg_1",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: null,
    },
  ],
};

const message = (role: string, ...content: object[]): object => ({
  type: "message",
  role,
  content,
});
const input = { type: "input_text", text: "Hi" };

/** Of the format, by what they show. */
export const responses: Record<string, object[]> = {
  text: [user],
  "a list": [message("user", input)],
  developer: [
    message("developer", input),
    { role: "system", content: "x", type: "message", id: null },
  ],
  media: [
    message(
      "user",
      { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
      { type: "input_file", file_url: "https://e.org/a", filename: "a" },
      { type: "input_file", file_id: "f" },
      { type: "input_audio", input_audio: {} },
    ),
  ],
  "output in parts": [
    {
      id: "m",
      type: "message",
      role: "assistant",
      status: "completed",
      phase: "final_answer",
      content: [
        { type: "output_text", text: "A", annotations: [], logprobs: [] },
        { type: "output_text", text: "B", annotations: [] },
        { type: "refusal", refusal: "C" },
      ],
    },
  ],
  "two outputs": [
    { role: "assistant", content: "A" },
    { content: "B", role: "assistant", id: "m2" },
    { role: "assistant", content: [{ type: "output_text", text: "C" }] },
  ],
  "no output": [
    { role: "assistant", content: [] },
    { role: "assistant", content: "" },
    message("user"),
  ],
  "unknown output": [message("assistant", { type: "hologram" })],
  reasoning: [
    {
      type: "reasoning",
      id: "r",
      summary: [
        { type: "summary_text", text: "A" },
        { type: "summary_text", text: "B" },
      ],
      encrypted_content: "gAAA",
    },
    { type: "reasoning", id: "r2", summary: [] },
    {
      summary: [],
      type: "reasoning",
      id: "r3",
      content: [{ type: "reasoning_text", text: "C" }],
      status: null,
    },
  ],
  "calls and results": [
    {
      type: "function_call",
      call_id: "a",
      name: "look",
      arguments: "{ }",
      id: "fc",
      status: "completed",
    },
    { type: "function_call", name: "look", call_id: "b", arguments: "" },
    { type: "function_call_output", call_id: "a", output: "1" },
    {
      type: "function_call_output",
      call_id: "b",
      output: [input, { type: "input_image", file_id: "f" }],
      status: "completed",
    },
  ],
  "reasoning between calls": [
    { type: "reasoning", id: "r", summary: [] },
    { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
    { type: "reasoning", id: "s", summary: [] },
    { type: "function_call", call_id: "b", name: "look", arguments: "{}" },
    { role: "assistant", content: "So" },
  ],
  "custom calls": [
    { type: "custom_tool_call", call_id: "a", name: "patch", input: "***", id: "c" },
    { type: "custom_tool_call_output", call_id: "a", output: "ok" },
  ],
  references: [{ type: "item_reference", id: "m" }, { id: "n" }, user],
  "provider tools": [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "compaction",
    "local_shell_call",
    "apply_patch_call",
    "mystery",
  ].map((type) => ({ type, id: `${type}_1`, status: "completed", x: { b: "", a: null } })),
  "their outputs": [
    {
      type: "computer_call_output",
      call_id: "c",
      output: { type: "computer_screenshot", image_url: "u" },
    },
    { type: "shell_call_output", call_id: "s", output: [] },
    { type: "mcp_approval_response", approval_request_id: "p", approve: true },
  ],
};

const options = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
const sdkUser = (...content: object[]): object[] => [{ role: "user", content }];
const sdkSaid = (...content: object[]): object[] => [user, { role: "assistant", content }];
const sdkCall = (toolCallId: string, more: object = {}): object => ({
  type: "tool-call",
  toolCallId,
  toolName: "look",
  input: { at: 1 },
  ...more,
});
const sdkResult = (toolCallId: string, output: object, more: object = {}): object => ({
  type: "tool-result",
  toolCallId,
  toolName: "look",
  output,
  ...more,
});
const sdkTool = (output: object): object[] => [
  ...sdkSaid(sdkCall("a")),
  { role: "tool", content: [sdkResult("a", output)] },
];

/** Of the format, by what they show. */
export const aiSdk: Record<string, object[]> = {
  text: [user, { role: "assistant", content: "" }],
  system: [
    { role: "system", content: "Rules.", ...options },
    user,
    { role: "system", content: "Late." },
  ],
  "parts with options": sdkUser(
    { type: "text", text: "Hi", ...options },
    { type: "text", text: "" },
  ),
  "an image in each form": sdkUser(
    ...[png, `data:image/png;base64,${png}`, "https://e.org/a"].flatMap((image) => [
      { type: "image", image },
      { type: "image", image, mediaType: "image/png" },
      { type: "file", data: image, mediaType: "image/png", filename: "a.png" },
    ]),
  ),
  "a file of AI SDK 7": sdkUser(
    { type: "file", data: { type: "data", data: png }, mediaType: "image/png" },
    { type: "file", data: { type: "url", url: "https://e.org/a" }, mediaType: "image/*" },
    {
      type: "file",
      data: { type: "text", text: "words" },
      mediaType: "text/plain",
      filename: "a.txt",
    },
  ),
  "a file by reference": sdkUser({
    type: "file",
    data: { type: "reference", reference: { openai: "f" } },
    mediaType: "application/pdf",
  }),
  "reasoning and calls in turn": sdkSaid(
    { type: "reasoning", text: "Hm", providerOptions: { anthropic: { signature: "s" } } },
    sdkCall("a"),
    { type: "reasoning", text: "So" },
    { type: "text", text: "And" },
    sdkCall("b", { input: "", ...options }),
  ),
  "a file that was made": sdkSaid({ type: "file", data: png, mediaType: "image/png" }),
  "the provider's own tools": sdkSaid(
    sdkCall("a", { providerExecuted: true }),
    sdkResult("a", { type: "json", value: [1] }),
    { type: "text", text: "So" },
  ),
  approvals: [
    ...sdkSaid(sdkCall("a"), { type: "tool-approval-request", approvalId: "p", toolCallId: "a" }),
    {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: "p", approved: true }],
    },
  ],
  "custom and reasoning files": sdkSaid(
    { type: "custom", kind: "openai.compaction" },
    { type: "reasoning-file", data: { type: "data", data: png }, mediaType: "image/png" },
  ),
  "parallel results": [
    ...sdkSaid(sdkCall("a"), sdkCall("b")),
    {
      role: "tool",
      content: [
        sdkResult("a", { type: "text", value: "1" }),
        sdkResult("b", { type: "error-text", value: "2" }, options),
      ],
      ...options,
    },
  ],
  "results apart": [
    ...sdkSaid(sdkCall("a"), sdkCall("b")),
    { role: "tool", content: [sdkResult("a", { type: "text", value: "1" })] },
    { role: "tool", content: [sdkResult("b", { type: "text", value: "" })] },
  ],
  "no results": [user, { role: "tool", content: [] }],
  "a result of an unknown call": [
    user,
    {
      role: "tool",
      content: [sdkResult("z", { type: "text", value: "1" }, { toolName: "other" })],
    },
  ],
  json: sdkTool({ type: "json", value: { b: [1, null], a: "" } }),
  "json of an error": sdkTool({ type: "error-json", value: null }),
  denied: sdkTool({ type: "execution-denied", reason: "no" }),
  "options of an output": sdkTool({ type: "text", value: "x", ...options }),
  "media of AI SDK 5": sdkTool({
    type: "content",
    value: [
      { type: "text", text: "x" },
      { type: "media", data: png, mediaType: "image/png" },
    ],
  }),
  "media of AI SDK 6": sdkTool({
    type: "content",
    value: [
      { type: "file-data", data: png, mediaType: "application/pdf", filename: "a.pdf" },
      { type: "image-data", data: png, mediaType: "image/png" },
      { type: "image-url", url: "https://e.org/a" },
      { type: "file-url", url: "https://e.org/b" },
      { type: "file-id", fileId: "f" },
      { type: "custom" },
    ],
  }),
  "media of AI SDK 7": sdkTool({
    type: "content",
    value: [
      {
        type: "file",
        data: { type: "data", data: png },
        mediaType: "image/png",
        filename: "a.png",
      },
      { type: "file", data: { type: "url", url: "https://e.org/a" }, mediaType: "image/png" },
    ],
  }),
  "an output of an unknown type": sdkTool({ type: "hologram", value: 1 }),
};
