import type { ModelClient } from '@holdfast/core'
import { openaiModel } from './openai-model.ts'
import { ruleBasedModel } from './rule-based-model.ts'

export interface ChosenModel {
  readonly client: ModelClient
  /** The name that goes into the prompt. */
  readonly name: string
  /** One line about the model, shown first. */
  readonly notice: string
}

/** The place where other model clients come in: by what the environment holds. */
export function chooseModel(env: NodeJS.ProcessEnv): ChosenModel {
  const apiKey = env['OPENAI_API_KEY']?.trim()
  if (apiKey) return openaiModel(apiKey, env)
  return {
    client: ruleBasedModel,
    name: 'rule-based',
    notice:
      'Rule-based model (no key set): it knows a set of phrases and really uses the tools. OPENAI_API_KEY brings a real one.',
  }
}
