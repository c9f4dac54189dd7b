// turbo with its telemetry off, on every system: `node scripts/turbo.mjs run build`.
import { commandOf, runNode } from './processes.mjs'

const { code } = await runNode(commandOf('turbo'), process.argv.slice(2))
process.exitCode = code
