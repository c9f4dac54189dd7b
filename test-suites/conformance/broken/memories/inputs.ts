import { type AgentItem, HoldfastError, InMemoryAgentMemory } from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  type CallId,
  Forwarding,
  inProcess,
  LocalMemory,
  type Output,
  stored,
  type ToolOutput,
  type UserInput,
} from './broken-memory.ts'

class SpellsNull extends InMemoryAgentMemory {
  override addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    return super.addToolOutput(callId === '' ? '' : String(callId), output)
  }
}

class RefusesNull extends InMemoryAgentMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId === null) throw new HoldfastError('INVALID_ARGUMENT', 'A call id is missing.')
    await super.addToolOutput(callId, output)
  }
}

class CompressesNothing extends LocalMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    await super.addToolOutput(callId, output)
    if (callId === null) await this.compressor?.compress(await this.snapshot())
  }
}

class CompressesFirst extends LocalMemory {
  override async addOutputItems(items: Output): Promise<void> {
    if (!items || items.length === 0) await this.compressor?.compress(await this.snapshot())
    await super.addOutputItems(items)
  }
}

class WritesNothing extends Forwarding {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId === null) await this.inner.setSummary(' ')
    await super.addToolOutput(callId, output)
  }
}

class IgnoresEmptyIds extends InMemoryAgentMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId) await super.addToolOutput(callId, output)
  }
}

class TakesEmptyIds extends InMemoryAgentMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId !== '') return super.addToolOutput(callId, output)
    await super.addOutputItems([{ type: 'function_call_output', call_id: '', output }])
  }
}

class TakesNullText extends InMemoryAgentMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId !== 'null' && callId !== 'undefined') await super.addToolOutput(callId, output)
  }
}

class StoresBareText extends InMemoryAgentMemory {
  override addUserInput(input: UserInput): Promise<void> {
    return super.addUserInput(typeof input === 'string' ? { role: 'user', content: input } : input)
  }
}

class IgnoresEmptyText extends InMemoryAgentMemory {
  override async addUserInput(input: UserInput): Promise<void> {
    if (input !== '') await super.addUserInput(input)
  }
}

class WrapsItems extends InMemoryAgentMemory {
  override addUserInput(input: UserInput): Promise<void> {
    const wrap = typeof input === 'object' && input !== null && !Array.isArray(input)
    return super.addUserInput(wrap ? { type: 'message', role: 'user', content: [input] } : input)
  }
}

class DropsUnknownTypes extends InMemoryAgentMemory {
  override addOutputItems(items: Output): Promise<void> {
    const known = ['message', 'reasoning', 'function_call', 'function_call_output']
    return super.addOutputItems(
      items?.filter?.(({ type }) => type && known.includes(type)) ?? items,
    )
  }
}

class SpellsParts extends InMemoryAgentMemory {
  override addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    return super.addToolOutput(callId, typeof output === 'string' ? output : JSON.stringify(output))
  }
}

class ParsesText extends InMemoryAgentMemory {
  override addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (typeof output !== 'string' || !output.startsWith('{')) {
      return super.addToolOutput(callId, output)
    }
    return super.addToolOutput(callId, [JSON.parse(output) as AgentItem])
  }
}

class TakesAnything extends InMemoryAgentMemory {
  override addUserInput(input: UserInput): Promise<void> {
    return super.addUserInput(typeof input === 'number' ? String(input) : input)
  }
}

class ThrowsAtOnce extends InMemoryAgentMemory {
  // Not async: the refusal leaves before there is a promise.
  override addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId === '') throw new HoldfastError('INVALID_ARGUMENT', 'A call id is empty.')
    return super.addToolOutput(callId, output)
  }
}

class LacksUpdate extends InMemoryAgentMemory {
  constructor(options: OpenOptions) {
    super(options)
    Object.defineProperty(this, 'update', { value: undefined })
  }
}

const noItem = 'null-adds-no-item'
const text = 'input-text-becomes-a-user-message'

export const brokenInputs = [
  inProcess('null call id stored as text', noItem, (options) => new SpellsNull(options)),
  inProcess('null call id refused', noItem, (options) => new RefusesNull(options)),
  inProcess('null call id runs the compressor', 'null-runs-no-compressor', (options) => {
    return new CompressesNothing(options)
  }),
  inProcess('adding nothing lets the compressor fail', 'null-before-anything-else', (options) => {
    return new CompressesFirst(options)
  }),
  stored(
    'null call id writes',
    'null-writes-nothing',
    (world, id, options) => new WritesNothing(world, id, options),
  ),
  inProcess('empty call id ignored', 'empty-call-id-refused', (options) => {
    return new IgnoresEmptyIds(options)
  }),
  inProcess('empty call id stored', 'empty-call-id-refused', (options) => {
    return new TakesEmptyIds(options)
  }),
  inProcess('the call id "null" ignored', 'call-id-is-text', (options) => {
    return new TakesNullText(options)
  }),
  inProcess('text stored bare', text, (options) => new StoresBareText(options)),
  inProcess('empty text ignored', text, (options) => new IgnoresEmptyText(options)),
  inProcess('items wrapped into a message again', 'input-objects-as-they-are', (options) => {
    return new WrapsItems(options)
  }),
  inProcess('items of unknown types dropped', 'output-any-type-untouched', (options) => {
    return new DropsUnknownTypes(options)
  }),
  inProcess('content parts stored as text', 'tool-output-shape', (options) => {
    return new SpellsParts(options)
  }),
  inProcess('JSON text stored as parts', 'tool-output-shape', (options) => {
    return new ParsesText(options)
  }),
  inProcess('a number taken for text', 'wrong-types-refused', (options) => {
    return new TakesAnything(options)
  }),
  inProcess('a refusal thrown, not rejected', 'promises-never-throws', (options) => {
    return new ThrowsAtOnce(options)
  }),
  inProcess('a declared method missing', 'abilities-as-declared', (options) => {
    return new LacksUpdate(options)
  }),
]
