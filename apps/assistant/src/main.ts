import { run } from './run.ts'

// `| head` closes the pipe early: what was answered is stored, and nobody reads the rest. A closed stderr
// takes only notices with it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stream === process.stdout) process.exit(0)
  })
}

process.exitCode = await run(process.argv.slice(2), process, process.cwd())
