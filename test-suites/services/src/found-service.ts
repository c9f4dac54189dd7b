import type { Service } from './service.ts'

/** A server that runs already: a test may use it, and neither ends it nor removes anything. */
export function foundService(url: string, version: string): Service {
  const refuse = async () => {
    throw new Error('Only a server that was started here may be killed: see `owned`.')
  }
  return { url, version, owned: false, kill: refuse, restart: refuse, stop: async () => {} }
}
