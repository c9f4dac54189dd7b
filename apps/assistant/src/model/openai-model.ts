import { HoldfastError } from '@holdfast/core'
import { openaiChat, openaiResponses } from '@holdfast/openai'
import OpenAI from 'openai'
import type { ChosenModel } from './choose-model.ts'

const DEFAULT_MODEL = 'gpt-5-mini'

/** The Responses API is OpenAI's own; what other endpoints have in common is Chat Completions. */
const apiFor = (url: string | undefined): string =>
  url === undefined || new URL(url).hostname === 'api.openai.com' ? 'responses' : 'chat'

/** A real model, as the environment names it. `INVALID_ARGUMENT` for a variable that cannot be. */
export function openaiModel(apiKey: string, env: NodeJS.ProcessEnv): ChosenModel {
  const baseURL = env['OPENAI_BASE_URL']?.trim() || undefined
  if (baseURL !== undefined && !/^https?:$/.test(protocolOf(baseURL))) {
    throw wrong('OPENAI_BASE_URL', 'an http or https address')
  }
  const api = env['HOLDFAST_API']?.trim() || apiFor(baseURL)
  if (api !== 'responses' && api !== 'chat') throw wrong('HOLDFAST_API', 'responses or chat')
  const name = env['HOLDFAST_MODEL']?.trim() || DEFAULT_MODEL
  // The SDK would read more of the environment, and print what it sends where its log is on.
  const client = new OpenAI({ apiKey, baseURL: baseURL ?? null, logLevel: 'off' })
  const where = new URL(baseURL ?? client.baseURL).host
  return {
    client: api === 'responses' ? openaiResponses(client) : openaiChat(client),
    name,
    notice: `Model ${name} at ${where} (${api === 'responses' ? 'Responses API' : 'Chat Completions'}).`,
  }
}

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '')

/** Without the value: a key that landed in the wrong variable is a secret all the same. */
const wrong = (name: string, wanted: string): HoldfastError =>
  new HoldfastError('INVALID_ARGUMENT', `${name} must be ${wanted}.`)
