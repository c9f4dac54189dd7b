import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A local endpoint that speaks the wire formats of the Responses API and of Chat Completions. It answers
 * each request with the next reply of its script and keeps what it was asked.
 */
export interface WireServer {
  /** For the SDK's `baseURL`. */
  readonly url: string
  /** What came in so far. */
  readonly requests: readonly WireRequest[]
  /** Adds replies behind those that wait. */
  reply(...replies: readonly Reply[]): void
  /** Drops the replies that nobody has asked for yet. */
  dropReplies(): void
  /** Resolves with the request of this number, from 0, once it has come in. */
  request(index: number): Promise<WireRequest>
  close(): Promise<void>
}

export interface WireRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The JSON text as it came. */
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent.
  readonly body: any
  /** The other side's port: equal for requests over one connection. */
  readonly port: number | undefined
  /** Resolves once the answer is over: `false` where the other side closed it before its end. */
  readonly finished: Promise<boolean>
}

export interface JsonReply {
  readonly json: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface StreamReply {
  /** Objects are sent as one event each; a string is sent as it is. */
  readonly events: readonly (object | string)[]
  /**
   * How it goes on behind the events: the body ends, the connection breaks, or nothing more comes.
   * Default `end`.
   */
  readonly ending?: 'end' | 'break' | 'hold'
}

/** A text body, with status 200 and whatever type. */
export interface TextReply {
  readonly text: string
}

export type Reply = JsonReply | StreamReply | TextReply | 'break' | 'hold'

export async function startWireServer(): Promise<WireServer> {
  const requests: WireRequest[] = []
  const script: Reply[] = []
  const waiting = new Map<number, (request: WireRequest) => void>()
  const server = createServer((incoming, outgoing) => {
    void receive(incoming, outgoing).then((request) => {
      waiting.get(requests.push(request) - 1)?.(request)
      send(outgoing, script.shift() ?? unscripted)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reply: (...replies) => void script.push(...replies),
    dropReplies: () => void script.splice(0),
    request: (index) =>
      new Promise((resolve) => {
        const there = requests[index]
        if (there) resolve(there)
        else waiting.set(index, resolve)
      }),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const unscripted: JsonReply = {
  status: 418,
  json: { error: { message: 'The script has no more replies.', code: 'script_at_its_end' } },
}

async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<WireRequest> {
  const finished = new Promise<boolean>((resolve) =>
    outgoing.once('close', () => resolve(outgoing.writableFinished)),
  )
  let text = ''
  incoming.setEncoding('utf8')
  for await (const piece of incoming) text += piece
  const { url = '', headers, socket } = incoming
  const body = text ? JSON.parse(text) : undefined
  return { path: url, headers, text, body, port: socket.remotePort, finished }
}

function send(outgoing: ServerResponse, reply: Reply): void {
  if (reply === 'hold') return
  if (reply === 'break') {
    outgoing.destroy()
  } else if ('json' in reply) {
    const type = { 'content-type': 'application/json' }
    outgoing.writeHead(reply.status ?? 200, { ...type, ...reply.headers })
    outgoing.end(JSON.stringify(reply.json))
  } else if ('text' in reply) {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(reply.text)
  } else {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    const text = reply.events.map(eventText).join('')
    outgoing.write(text, () => {
      if (reply.ending === 'break') outgoing.destroy()
      else if (reply.ending !== 'hold') outgoing.end()
    })
  }
}

/** The Responses API names its events, Chat Completions does not. */
function eventText(event: object | string): string {
  if (typeof event === 'string') return event
  const { type } = event as { type?: unknown }
  const name = typeof type === 'string' ? `event: ${type}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}

type Item = Readonly<Record<string, unknown>>

/** A response of the Responses API with this output. */
export const response = (output: readonly Item[], more: Item = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  model: 'test-model',
  error: null,
  incomplete_details: null,
  output,
  usage: {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 3 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 18,
  },
  ...more,
})

/** The events that stream this response, its texts in pieces of three characters. */
export function responseEvents(whole: ReturnType<typeof response>): Item[] {
  const end =
    whole.status === 'incomplete' || whole.status === 'failed' ? whole.status : 'completed'
  const start = { ...whole, status: 'in_progress', output: [], usage: null }
  const events: Item[] = [
    { type: 'response.created', response: start },
    { type: 'response.in_progress', response: start },
    ...whole.output.flatMap((item, index) => itemEvents(item, index)),
    { type: `response.${end}`, response: whole },
  ]
  return events.map((event, index) => ({ ...event, sequence_number: index }))
}

function itemEvents(item: Item, index: number): Item[] {
  const place = { item_id: item['id'], output_index: index }
  const texts: [string, unknown][] = [
    ...parts(item['summary']).map((part): [string, unknown] => [
      'response.reasoning_summary_text.delta',
      part['text'],
    ]),
    ...parts(item['content']).map((part): [string, unknown] =>
      part['type'] === 'refusal'
        ? ['response.refusal.delta', part['refusal']]
        : ['response.output_text.delta', part['text']],
    ),
    ['response.function_call_arguments.delta', item['arguments']],
  ]
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, content: [] } },
    ...texts.flatMap(([type, text]) => pieces(text).map((delta) => ({ type, ...place, delta }))),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

/** A completion of Chat Completions with this message. */
export const completion = (message: Item, more: { finish_reason?: string } & Item = {}) => {
  const { finish_reason = message['tool_calls'] ? 'tool_calls' : 'stop', ...rest } = more
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'test-model',
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    ...rest,
  }
}

/** What stands at the end of a stream of Chat Completions. */
export const DONE = 'data: [DONE]\n\n'

/** The events that stream this completion, its texts in pieces of three characters. */
export function completionEvents(whole: ReturnType<typeof completion>): (object | string)[] {
  const { choices, usage, ...head } = whole
  const { message, finish_reason } = choices[0] as (typeof choices)[number]
  const chunk = (delta: Item, finish: string | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: null,
  })
  const deltas: Item[] = [{ role: 'assistant', content: '' }]
  // Models reason before they speak.
  const first = ([key]: [string, unknown]) => (key.startsWith('reasoning') ? 0 : 1)
  for (const [key, value] of Object.entries(message).sort((a, b) => first(a) - first(b))) {
    if (typeof value === 'string' && key !== 'role') {
      deltas.push(...pieces(value).map((piece) => ({ [key]: piece })))
    } else if (key === 'tool_calls') {
      parts(value).forEach((call, index) => {
        deltas.push(...callDeltas(call, index))
      })
    } else if (value !== null && key !== 'role') deltas.push({ [key]: value })
  }
  return [
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finish_reason),
    { ...chunk({}), choices: [], usage },
    DONE,
  ]
}

function callDeltas({ function: made, ...call }: Item, index: number): Item[] {
  const { name, arguments: text } = made as Item
  return [
    { tool_calls: [{ index, ...call, function: { name, arguments: '' } }] },
    ...pieces(text).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

const parts = (list: unknown): Item[] => (Array.isArray(list) ? list : [])

const pieces = (text: unknown): string[] =>
  typeof text === 'string' ? (text.match(/[\s\S]{1,3}/gu) ?? []) : []
