// npm run chat [-- port]: the chat in a browser, until Ctrl-C.
import { openChatServer } from "./chat-server.mjs";
import { createChat } from "./create-chat.mjs";
import { openModel } from "./open-model.mjs";

const { model, source } = await openModel(process.env);
const port = Number(process.argv[2] ?? 3000);
const { url } = await openChatServer(createChat(model), { port, source });
console.log(`${url} with ${model.modelId} of ${source}`);
