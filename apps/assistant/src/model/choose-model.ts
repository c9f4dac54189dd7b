import type { ModelClient } from '@holdfast/core'
import { ruleBasedModel } from './rule-based-model.ts'

export interface ChosenModel {
  readonly client: ModelClient
  /** The name that goes into the prompt. */
  readonly name: string
  /** One line about the model, shown first. */
  readonly notice: string
}

/** The place where other model clients come in: by what the environment holds. */
export async function chooseModel(env: NodeJS.ProcessEnv): Promise<ChosenModel> {
  const apiKey = env['OPENAI_API_KEY']?.trim()
  if (apiKey) {
    // Loaded only where it is used: the SDK takes longer to load than the rest of the program.
    const { openaiModel } = await import('./openai-model.ts')
    return openaiModel(apiKey, env)
  }
  return {
    client: ruleBasedModel,
    name: 'rule-based',
    notice:
      'Rule-based model (no key set): it knows a set of phrases and really uses the tools. OPENAI_API_KEY brings a real one.',
  }
}
