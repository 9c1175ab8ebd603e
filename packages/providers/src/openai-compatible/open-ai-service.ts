import { callUrl, type EndpointOptions } from "../http/endpoint.ts";
import type { Service } from "../http/service.ts";
import { openAiCodeOf, readOpenAiError } from "./open-ai-error.ts";
import { type OpenAiPreset, type OpenAiPresetName, presets } from "./presets.ts";

/** The address of a server with OpenAI's format. */
export interface OpenAiAddress extends EndpointOptions {
  preset?: OpenAiPresetName | undefined;
  baseUrl?: string | undefined;
  provider?: string | undefined;
}

/**
 * Describes how to call such a server and read its errors. Sends the key from the environment only to the preset's
 * host.
 */
export function openAiService(
  options: OpenAiAddress,
): Service & { preset: OpenAiPreset; isOpenAi: boolean } {
  const preset: OpenAiPreset = presets[options.preset ?? "openai"];
  const { baseUrl = preset.baseUrl, provider = options.preset ?? "openai-compatible" } = options;
  const hostOf = (address: string): string => callUrl(address, "").hostname;
  const isAtPreset = hostOf(baseUrl) === (preset.keyHost ?? hostOf(preset.baseUrl));
  return {
    provider,
    title: options.preset === undefined ? undefined : preset.title,
    baseUrl,
    endpoint: options,
    keyVariable: isAtPreset ? preset.keyVariable : undefined,
    headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
    readError: readOpenAiError,
    codeOf: openAiCodeOf,
    requestIdHeaders: ["x-request-id"],
    preset,
    isOpenAi: hostOf(baseUrl) === hostOf(presets.openai.baseUrl),
  };
}
