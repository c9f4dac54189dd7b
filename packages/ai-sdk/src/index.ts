export type { ModelRequestError } from '@holdfast/core/model-client'
export { type AiSdkModelOptions, aiSdkModel } from './ai-sdk-model.ts'
export type { AiSdkLanguageModel } from './language-model.ts'
