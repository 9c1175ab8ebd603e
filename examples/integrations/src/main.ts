import { runAiSdk } from "./run-ai-sdk.ts";
import { runLangChain } from "./run-langchain.ts";

await runAiSdk();
await runLangChain();
