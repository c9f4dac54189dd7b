import type { ErrorKind } from '@holdfast/core'

/** The error of a connection that broke, as far as the client can tell. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault'
  readonly kind: ErrorKind | undefined

  /** @param kind What `classify` answers: `undefined` for an error that the driver does not know. */
  constructor(message: string, kind: ErrorKind | undefined = 'transient') {
    super(message)
    this.kind = kind
  }
}
