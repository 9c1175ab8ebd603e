// One long, seeded session of service dialogues (flights and a shop). A user names an id. The model reads profiles,
// bookings, searches and products as nested JSON, and later writes with the values that it read.
import { flightDialogue } from "./flight-dialogue.mjs";
import { createRandom } from "./random.mjs";
import { servicePolicy } from "./service-policy.mjs";
import { serviceTools } from "./service-tools.mjs";
import { shopDialogue } from "./shop-dialogue.mjs";

/** Returns `{ messages, tools }`. `source` of a message names its dialogue. The same seed gives the same bytes. */
export function generateServiceTrace({ seed = 1, dialogues = 12 } = {}) {
  const random = createRandom(seed);
  const messages = [{ role: "system", content: servicePolicy }];
  for (let index = 0; index < dialogues; index++) {
    const writer = createWriter(messages, `dialogue:${index}`, random);
    if (index % 2 === 0) flightDialogue(writer, random);
    else shopDialogue(writer, random);
  }
  return { name: "generated service session", messages, tools: serviceTools };
}

function createWriter(messages, source, random) {
  const say = (role, content) => messages.push({ role, content, source });
  const call = (...calls) => {
    const toolCalls = calls.map(([name, input]) => ({
      id: `call_${random.digits(4)}${random.code()}`,
      name,
      arguments: JSON.stringify(input),
    }));
    messages.push({ role: "assistant", content: "", toolCalls, source });
    calls.forEach(([, , result], index) => {
      const content = typeof result === "string" ? result : JSON.stringify(result);
      messages.push({ role: "tool", toolCallId: toolCalls[index].id, content, source });
    });
  };
  return { user: (text) => say("user", text), model: (text) => say("assistant", text), call };
}
