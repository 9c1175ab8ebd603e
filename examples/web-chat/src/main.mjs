// npm run chat [-- port]: the chat in a browser, until Ctrl-C.
import { openChatServer } from "./chat-server.mjs";
import { openModel } from "./open-model.mjs";

const found = await openModel(process.env);
const { url } = await openChatServer({ port: Number(process.argv[2] ?? 3000), ...found });
console.log(`${url}
It opens with a story that needs no model. Model for your own words: ${found.model?.modelId ?? found.source}`);
