import type { ChatMessage } from "@ccl/core";

/** A message as templates see it: plain data, with its content as text. */
export interface MessageView {
  id?: string | undefined;
  role: string;
  content: string;
  toolCalls?: { name: string; arguments: string }[] | undefined;
}

const viewOfMessage = new WeakMap<ChatMessage, MessageView>();
const messageOfView = new WeakMap<object, ChatMessage>();

/** Returns the view of a message. Always returns the same object. */
export function messageView(message: ChatMessage): MessageView {
  const known = viewOfMessage.get(message);
  if (known !== undefined) return known;
  const { id, role, toolCalls } = message;
  const view: MessageView = Object.freeze({
    id,
    role,
    content: messageText(message),
    toolCalls: toolCalls?.map(({ name, arguments: given }) => ({ name, arguments: given })),
  });
  viewOfMessage.set(message, view);
  messageOfView.set(view, message);
  return view;
}

/** Returns the message behind a view. Undefined for any other value. */
export function viewedMessage(view: unknown): ChatMessage | undefined {
  return typeof view === "object" && view !== null ? messageOfView.get(view) : undefined;
}

/** Returns the text of a message: its text parts, and a marker for each image or file. Omits reasoning. */
function messageText({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (part.type === "text") return part.text;
      if (part.type === "provider") return `[part of ${part.provider}]`;
      return part.type === "reasoning" ? "" : `[${part.type} ${part.mimeType}]`;
    })
    .join("");
}
