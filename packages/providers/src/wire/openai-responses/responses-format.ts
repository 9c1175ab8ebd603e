/** Names the format in errors, opaque parts and `providerMetadata`. */
export const responses = "openai-responses";
