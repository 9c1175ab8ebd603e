import { describe, expect, it } from "vitest";

import { createOperationStores } from "./create-operation-stores.ts";
import { createRunStore } from "./create-run-store.ts";
import {
  chatStoreScripts,
  conversationStoreScripts,
} from "../../test-support/chat-store-conformance.ts";
import { runStoreScripts } from "../../test-support/run-store-conformance.ts";
import { type WrittenChat, writtenChat } from "../../test-support/written-chat.ts";
import { outcomesOf, type ScriptRule } from "../../test-support/script-rules.ts";

/** What the calls of each rule give, one outcome a line; long texts by their length. */
async function outcomesOfAll<Store extends object>(
  rules: readonly ScriptRule<Store>[],
  open: () => Store,
): Promise<string> {
  const pages: string[] = [];
  for (const rule of rules) {
    const store = open();
    const same = async (): Promise<Store> => store;
    const outcomes = await outcomesOf(rule, store, { open: same, openSecond: same });
    const lines = [outcomes]
      .flat()
      .map((outcome) =>
        JSON.stringify(outcome, (_key, value: unknown) =>
          typeof value === "string" && value.length > 1_000 ? `${value.length} characters` : value,
        ),
      );
    pages.push([`# ${rule.name}`, ...lines].join("\n"));
  }
  return `${pages.join("\n\n")}\n`;
}

// What every other store is compared with.
describe("the stores in memory", () => {
  it("give what is written down for runs", async () => {
    const outcomes = await outcomesOfAll(runStoreScripts, () => createRunStore());
    await expect(outcomes).toMatchFileSnapshot("./__fixtures__/outcomes-of-runs.txt");
  });

  it("give what is written down for chats", async () => {
    const openChat = (): WrittenChat => writtenChat(createOperationStores());
    const ofChats = await outcomesOfAll(chatStoreScripts, openChat);
    const ofConversations = await outcomesOfAll(conversationStoreScripts, openChat);
    const outcomes = `${ofChats}\n${ofConversations}`;
    await expect(outcomes).toMatchFileSnapshot("./__fixtures__/outcomes-of-chats.txt");
  });
});
