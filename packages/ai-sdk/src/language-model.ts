import { HoldfastError } from '@holdfast/core'
import { isRecord } from '@holdfast/core/model-client'

/**
 * What is used of an AI SDK `LanguageModel`: of its specifications V2 (AI SDK 5), V3 (AI SDK 6) and V4
 * (AI SDK 7). Any provider's model is one.
 */
export interface AiSdkLanguageModel {
  /** Which of the specifications it follows. */
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  /** `openai.responses`, for example. */
  readonly provider: string
  /** The model’s name at its provider. */
  readonly modelId: string
  /** One answer, in one piece. */
  doGenerate(options: object): PromiseLike<object>
  /** One answer, as a stream of parts. */
  doStream(options: object): PromiseLike<{ readonly stream: object }>
}

const VERSIONS = ['v2', 'v3', 'v4']

/** Refuses what is no model of a known specification, before the first request. */
export function checkModel(model: unknown): AiSdkLanguageModel {
  const { specificationVersion: version, doGenerate, doStream } = Object(model)
  if (typeof model === 'string') {
    throw refuse('got a string, which the AI SDK alone resolves: pass the model itself')
  }
  if (!isRecord(model) || typeof doGenerate !== 'function' || typeof doStream !== 'function') {
    throw refuse('got something without doGenerate and doStream: pass a language model')
  }
  if (!VERSIONS.includes(version)) {
    throw refuse('got one of an unknown specificationVersion: use a provider of AI SDK 5, 6 or 7')
  }
  return model as unknown as AiSdkLanguageModel
}

const refuse = (what: string): HoldfastError =>
  new HoldfastError(
    'INVALID_ARGUMENT',
    `aiSdkModel takes an AI SDK LanguageModel and ${what}, openai('gpt-5') for example.`,
  )
