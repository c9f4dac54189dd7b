import type { AgentPrompt, ModelClient } from '@holdfast/core'
import {
  callSignal,
  cutStream,
  type Fields,
  isRecord,
  recordsOf,
} from '@holdfast/core/model-client'
import { hasNoReason, resultOf } from './answer.ts'
import { AnswerStream } from './answer-stream.ts'
import { requestError } from './failure.ts'
import { type AiSdkLanguageModel, checkModel } from './language-model.ts'
import { promptOf } from './prompt.ts'

/** What a provider does, where providers differ. */
export interface AiSdkModelOptions {
  /** Hold tool arguments to their schema, where the provider can. Default: as the provider does. */
  readonly strictTools?: boolean
  /**
   * What a streamed answer is that ends without the model's reason for it. Providers report a stream that was
   * cut in this way, so it is an error (retryable) by default, `reject`. `accept` is for a model that never
   * gives a reason.
   */
  readonly withoutReason?: 'reject' | 'accept'
  /**
   * Is told what the provider did not do: a setting it does not know, say. Called once for each answer that
   * has warnings; what it throws changes nothing. Default: nobody is told.
   */
  readonly onWarnings?: (warnings: readonly Readonly<Record<string, unknown>>[]) => void
}

/**
 * A model client over an AI SDK `LanguageModel`, or over a provider: a function that answers the model for a
 * name. A model given by itself answers every prompt, whatever model the prompt names.
 *
 * A failed call rejects with a `ModelRequestError`, an aborted one with the signal's reason.
 * `INVALID_ARGUMENT` for what is no model, and for a file that the model's specification cannot carry.
 */
export function aiSdkModel(
  model: AiSdkLanguageModel | ((modelId: string) => AiSdkLanguageModel),
  options: AiSdkModelOptions = {},
): ModelClient {
  const only = typeof model === 'function' ? undefined : checkModel(model)
  const modelFor = ({ model: name }: AgentPrompt) =>
    only ?? checkModel((model as (modelId: string) => unknown)(name))
  const warn = (warnings: unknown) => {
    const list = recordsOf(warnings)
    if (list.length === 0) return
    try {
      options.onWarnings?.(list)
    } catch {
      // A listener is no part of the call.
    }
  }
  return {
    async create(prompt, { signal } = {}) {
      const used = modelFor(prompt)
      const call = callOf(prompt, used, options)
      const own = callSignal(signal)
      try {
        signal?.throwIfAborted()
        const answer: Fields = {
          ...(await used.doGenerate({ ...call, abortSignal: own.signal })),
        }
        warn(answer['warnings'])
        return resultOf(answer['content'], answer['usage'], answer['finishReason'])
      } catch (error) {
        throw requestError(error, signal)
      } finally {
        own.release()
      }
    },
    async *stream(prompt, { signal } = {}) {
      const used = modelFor(prompt)
      const answer = new AnswerStream()
      for await (const part of partsOf(used, callOf(prompt, used, options), signal)) {
        if (part['type'] === 'stream-start') warn(part['warnings'])
        yield* answer.add(part)
      }
      if (!answer.finish) throw cutStream()
      const { usage, finishReason } = answer.finish
      if (options.withoutReason !== 'accept' && hasNoReason(finishReason)) throw cutStream()
      // At the end of the stream: who leaves it earlier closes a connection that could serve the next call.
      yield { type: 'result', result: resultOf(answer.content, usage, finishReason) }
    },
  }
}

/** The parts of a streamed answer. Leaving them early, and an abort, cancel the stream. */
async function* partsOf(
  model: AiSdkLanguageModel,
  call: object,
  signal: AbortSignal | undefined,
): AsyncGenerator<Fields, void, undefined> {
  let finished = false
  let reader: ReadableStreamDefaultReader<unknown> | undefined
  const cancel = () => void reader?.cancel().catch(() => {})
  const own = callSignal(signal)
  try {
    signal?.throwIfAborted()
    const { stream } = await model.doStream({ ...call, abortSignal: own.signal })
    reader = (stream as ReadableStream<unknown>).getReader()
    // A model that ignores its signal would keep the read waiting.
    own.signal.addEventListener('abort', cancel)
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) return
      if (!isRecord(value)) continue
      finished ||= value['type'] === 'finish'
      yield value
    }
  } catch (error) {
    // What breaks behind the whole answer takes nothing from it.
    if (!finished || signal?.aborted) throw requestError(error, signal)
  } finally {
    own.release()
    cancel()
    reader?.releaseLock()
  }
}

function callOf(
  prompt: AgentPrompt,
  model: AiSdkLanguageModel,
  options: AiSdkModelOptions,
): object {
  const { instructions, outputSchema, settings = {} } = prompt
  const strict = options.strictTools
  const tools = [
    ...prompt.tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters,
      ...(strict !== undefined && { strict }),
    })),
    ...recordsOf(settings['tools']),
  ]
  const choice = settings['toolChoice']
  const messages = promptOf(prompt.items, model)
  return {
    ...(outputSchema && {
      responseFormat: { type: 'json', schema: outputSchema, name: 'output' },
    }),
    ...settings,
    ...(typeof choice === 'string' && { toolChoice: { type: choice } }),
    tools: tools.length > 0 ? tools : undefined,
    prompt: instructions ? [{ role: 'system', content: instructions }, ...messages] : messages,
  }
}
