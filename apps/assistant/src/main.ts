import { run } from './run.ts'

// `| head` closes the pipe early: what was answered is stored, and nobody reads the rest.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
}

process.exitCode = await run(process.argv.slice(2), process, process.cwd())
