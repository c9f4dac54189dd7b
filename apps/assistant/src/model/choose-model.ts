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
export function chooseModel(env: NodeJS.ProcessEnv): ChosenModel {
  const why = env['OPENAI_API_KEY'] ? 'OPENAI_API_KEY is not used yet' : 'no key set'
  return {
    client: ruleBasedModel,
    name: 'rule-based',
    notice: `Rule-based model (${why}): it knows a set of phrases and really uses the tools.`,
  }
}
