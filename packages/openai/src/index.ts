export type { ModelRequestError } from '@holdfast/core/model-client'
export type { OpenAIRequestOptions } from './client.ts'
export { type OpenAIChatClient, type OpenAIChatOptions, openaiChat } from './openai-chat.ts'
export {
  type OpenAIResponsesClient,
  type OpenAIResponsesOptions,
  openaiResponses,
} from './openai-responses.ts'
