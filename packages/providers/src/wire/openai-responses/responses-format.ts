/** The format's name in errors and opaque parts, and its key in `providerMetadata`. */
export const responses = "openai-responses";
