import { Ending } from './ending.ts'
import { run } from './run.ts'

const ending = new Ending()

// `| head` closes the pipe early: what was answered is stored, and nobody reads the rest. A closed stderr
// takes only notices with it. A terminal that is closed (EIO) sends SIGHUP, which ends the program by itself.
for (const stream of [process.stdin, process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EIO') return
    if (error.code !== 'EPIPE') throw error
    if (stream === process.stdout && !ending.signal.aborted) process.exit(0)
  })
}

ending.finish(await run(process.argv.slice(2), process, process.cwd(), ending))
