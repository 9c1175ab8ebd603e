/** Names the provider in errors, and its fields in `providerMetadata`. */
export const anthropic = "anthropic";
