interface Failure {
  readonly code: string
  readonly message: string
}

/** An error and its causes: drizzle wraps what a client threw, once or more often. */
export function* errorChain(error: unknown): Generator<Failure> {
  // A chain that bites its own tail must not hang the process.
  for (let depth = 0; depth < 8 && error instanceof Error; depth++) {
    const { code } = error as { code?: unknown }
    yield { code: typeof code === 'string' ? code : '', message: error.message }
    error = error.cause
  }
}
