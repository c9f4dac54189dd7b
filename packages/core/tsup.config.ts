import { defineConfig } from 'tsup'
import { library } from '../../tsup.shared.ts'

// `neutral`: core uses only what Node, Bun, Deno and browsers share.
export default defineConfig(
  library(
    {
      index: 'src/index.ts',
      adapter: 'src/adapter.ts',
      encryption: 'src/encryption.ts',
      'model-client': 'src/model-client.ts',
      segments: 'src/segments.ts',
    },
    { platform: 'neutral' },
  ),
)
