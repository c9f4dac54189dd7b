import type { TestProject } from 'vitest/node'
import { bundle } from './bundle.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The built program. */
    app: string
  }
}

/** Builds the program once for all tests. */
export default async function setup(project: TestProject): Promise<() => void> {
  const { app, remove } = await bundle()
  project.provide('app', app)
  return remove
}
