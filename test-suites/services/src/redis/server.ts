import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch } from '../process/launch.ts'
import { ping } from './client.ts'

/** One Redis process in a folder of its own below `folder`, which writes each command before it answers. */
export function redisServer(
  command: string,
  folder: string,
  port: number,
  args: readonly string[] = [],
): Launch {
  const name = `redis-${port}`
  const data = join(folder, name)
  mkdirSync(data)
  return {
    name,
    program: {
      command,
      args: [
        ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', data, '--save', ''],
        ...['--appendonly', 'yes', '--appendfsync', 'always', ...args],
      ],
    },
    ready: () => ping(`redis://127.0.0.1:${port}`),
  }
}
