import { tryBackend } from '../support/try-backend.ts'

await tryBackend('node-sqlite')
