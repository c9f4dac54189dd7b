import type { ErrorKind, SessionDriver } from '../driver.ts'
import type { Encryption } from '../encryption.ts'
import { HoldfastError, type HoldfastErrorCode, nameOf, type WriteOutcome } from '../errors.ts'
import { randomName } from '../ids.ts'
import { Patience } from './patience.ts'

/** How long a commit or a read goes on after conflicts and transient errors. */
const PATIENCE_MS = 30_000

export interface BackendOptions {
  readonly timeoutMs: number
  readonly attempts: number
  readonly encryption: Encryption | undefined
}

const CODES: Record<ErrorKind, HoldfastErrorCode> = {
  transient: 'STORAGE_FAILED',
  'too-large': 'TOO_LARGE',
  refused: 'STORAGE_FAILED',
  closed: 'CLOSED',
  corrupt: 'CORRUPT',
}

/** An error on the way to or from the driver, wrapped once: the only place that does so. */
export function storageError(
  kind: ErrorKind | undefined,
  id: string,
  cause: unknown,
  outcome?: WriteOutcome,
): HoldfastError {
  if (cause instanceof HoldfastError) {
    if (!outcome) return cause
    return new HoldfastError(cause.code, cause.message, { cause: cause.cause ?? cause, outcome })
  }
  const details = outcome ? { cause, outcome } : { cause }
  const said = cause instanceof TimeoutError ? cause.message : nameOf(cause)
  const fate = outcome ? ` The write is ${outcome}.` : ''
  return new HoldfastError(
    CODES[kind ?? 'transient'],
    `The storage failed on ${JSON.stringify(id)}: ${said} (see the cause).${fate}`,
    details,
  )
}

/** A driver as every scope of one storage shares it: its writer, its timeout and its life. */
export class Backend {
  readonly driver: SessionDriver
  readonly encryption: Encryption | undefined
  /** Names this storage among all that ever wrote: 64 random bits. */
  readonly writer = randomName()
  readonly #timeoutMs: number
  readonly #attempts: number
  #pending = 0
  #idle = () => {}
  #count = 0
  #closed = false

  constructor(driver: SessionDriver, options: BackendOptions) {
    this.driver = driver
    this.encryption = options.encryption
    this.#timeoutMs = options.timeoutMs
    this.#attempts = options.attempts
  }

  /** The next number of this writer: of an operation, or in a revision. */
  count(): number {
    return ++this.#count
  }

  patience(): Patience {
    return new Patience(this.#attempts, PATIENCE_MS)
  }

  classify(error: unknown): ErrorKind | undefined {
    // A call that ran out of time may have worked or may yet: like any lost answer.
    if (error instanceof TimeoutError) return 'transient'
    try {
      const kind = this.driver.classify?.(error)
      return kind && kind in CODES ? kind : undefined
    } catch {
      // It could not make anything of the error either.
      return undefined
    }
  }

  /** One call of the driver or of the encryption, ended after the timeout. */
  call<T>(run: (driver: SessionDriver) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new TimeoutError(this.#timeoutMs)), this.#timeoutMs)
      const failed = (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      }
      try {
        Promise.resolve(run(this.driver)).then((value) => {
          clearTimeout(timer)
          resolve(value)
        }, failed)
      } catch (error) {
        // A driver that throws synchronously.
        failed(error)
      }
    })
  }

  /** A call that changes nothing: transient errors are tried again. */
  async read<T>(
    id: string,
    run: (driver: SessionDriver) => Promise<T>,
    patience = this.patience(),
  ): Promise<T> {
    for (;;) {
      try {
        return await this.call(run)
      } catch (error) {
        const kind = this.classify(error)
        if (kind === 'transient' && (await patience.again())) continue
        throw storageError(kind, id, error)
      }
    }
  }

  /** Runs `task` unless the storage is closed; `close` waits for it. */
  track<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(
        new HoldfastError('CLOSED', 'This storage is closed; open it again to go on.', {
          outcome: 'not-committed',
        }),
      )
    }
    const run = task()
    this.#pending++
    run.then(this.#done, this.#done)
    return run
  }

  readonly #done = (): void => {
    if (--this.#pending === 0) this.#idle()
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#pending === 0) return
    await new Promise<void>((resolve) => {
      this.#idle = resolve
    })
  }
}

class TimeoutError extends Error {
  constructor(ms: number) {
    super(`The driver did not answer within ${ms} ms.`)
  }
}
