export { createComputeOperation } from "./create-compute-operation.ts";
export { createGuardOperation } from "./create-guard-operation.ts";
export { createLlmOperation } from "./create-llm-operation.ts";
export { createRagOperation } from "./create-rag-operation.ts";
export { createTemplateOperation } from "./create-template-operation.ts";
export { createToolOperation } from "./create-tool-operation.ts";
export { createTransformOperation } from "./create-transform-operation.ts";
export { createWaitOperation } from "./create-wait-operation.ts";
